import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { SequenceChecker } from "./sequence.ts"

function check(numbers: readonly number[]): SequenceChecker {
  const checker = new SequenceChecker()
  for (const number of numbers) checker.add("web.1", "stdout", number)
  return checker
}

describe("the sequence checker", () => {
  test("finds nothing wrong with every number once and in order", () => {
    const checker = check([5, 6, 7, 8])
    expect(checker.problems()).toEqual([])
    expect(checker.report()).toEqual([
      {
        container: "web.1",
        stream: "stdout",
        received: 4,
        first: 5,
        last: 8,
        lost: [],
        doubled: [],
        reordered: [],
      },
    ])
  })

  test("reports a hole as one lost range", () => {
    expect(check([1, 2, 6, 7, 9]).problems()).toEqual([
      "web.1 stdout: lost 3..5",
      "web.1 stdout: lost 8..8",
    ])
  })

  test("reports a number that came twice as doubled, and not as reordered", () => {
    expect(check([1, 2, 3, 2, 3, 4]).problems()).toEqual(["web.1 stdout: doubled 2 3"])
  })

  test("takes a late number out of the hole that it left", () => {
    const checker = check([1, 5, 3])
    expect(checker.problems()).toEqual([
      "web.1 stdout: lost 2..2",
      "web.1 stdout: lost 4..4",
      "web.1 stdout: reordered 3",
    ])
  })

  test("keeps containers and streams apart, and tells what is no line of the writer", () => {
    const checker = new SequenceChecker()
    checker.addMessage("web.1 stdout 0000000001 xxx")
    checker.addMessage("web.1 stderr 0000000001 xxx")
    checker.addMessage("web.2 stdout 0000000001 ")
    checker.addMessage("web.2 stdout 00000")
    expect(checker.report().map(({ container, stream }) => `${container} ${stream}`)).toEqual([
      "web.1 stderr",
      "web.1 stdout",
      "web.2 stdout",
    ])
    expect(checker.problems()).toEqual(["malformed: web.2 stdout 00000"])
  })

  test("agrees with counting, for any order of receipt", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (numbers) => {
        const [report] = check(numbers).report()
        if (!report) throw new Error("no report")
        const lowest = Math.min(...numbers)
        const highest = Math.max(...numbers)
        const missing = range(lowest, highest).filter((number) => !numbers.includes(number))
        const holes = report.lost.flatMap(({ from, to }) => range(from, to))
        expect(holes.toSorted((a, b) => a - b)).toEqual(missing)
        expect(report.doubled.length).toBe(numbers.length - new Set(numbers).size)
        expect([report.first, report.last, report.received]).toEqual([
          lowest,
          highest,
          numbers.length,
        ])
      }),
    )
  })
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
