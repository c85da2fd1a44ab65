/** The parts of the soak that reckon: a soak that finds nothing must be one that could have. */
import { describe, expect, test } from "bun:test"
import { SequenceChecker } from "../sequence.ts"
import { lowest, means, slopePerHour } from "./trend.ts"
import { isAtEnd, judge, NO_FAULTS } from "./verdict.ts"

describe("the verdict on a client", () => {
  const stored = checkerOf([1, 2, 5, 6, 7, 8])

  test.each([
    ["nothing, of every stored number once and in order", [1, 2, 5, 6, 7, 8], {}],
    ["what is lost at the beginning", [5, 6, 7, 8], { lost: 2 }],
    ["what is lost at the end", [1, 2, 5], { lost: 3 }],
    ["what is lost in between, but not what was not stored", [1, 6, 7, 8], { lost: 2 }],
    ["what comes twice", [1, 2, 5, 6, 6, 7, 8, 1], { doubled: 2 }],
    ["what comes late", [1, 2, 6, 5, 7, 8], { reordered: 1 }],
  ])("finds %s", (_, numbers, faults) => {
    const expected = { received: numbers.length, ...NO_FAULTS, ...faults }
    expect(judge(checkerOf(numbers), stored)).toEqual(expected)
  })

  test("finds streams that did not come, and others that nobody stored", () => {
    const { lost, unexplained } = judge(checkerOf([1, 2], "other.1"), stored)
    expect([lost, unexplained]).toEqual([6, 2])
  })

  test("waits for the end of every stream", () => {
    expect(isAtEnd(checkerOf([1, 8]), stored)).toBe(true)
    expect(isAtEnd(checkerOf([1, 7]), stored)).toBe(false)
    expect(isAtEnd(new SequenceChecker(), stored)).toBe(false)
  })
})

test("a slope is that of a line through the samples", () => {
  const hours = [0, 0.5, 1, 1.5, 2]
  const noise = [1, -1, 0, -1, 1]
  const samples = hours.map((hour, index) => {
    return { at: hour * 3_600_000, value: 100 + 7 * hour + (noise[index] ?? 0) }
  })
  const { slope, error } = slopePerHour(samples)
  expect(slope).toBeCloseTo(7)
  // The noise's squares are 4 in all, and those of the hours around their middle 2.5.
  expect(error).toBeCloseTo(Math.sqrt(4 / 3 / 2.5))
})

test("a floor is the lowest sample of its span, and a mean is of all of them", () => {
  const samples = [5, 3, 4, 9, 8, 7].map((value, index) => ({ at: 900 + index * 10, value }))
  expect(lowest(samples, 30).map(({ value }) => value)).toEqual([3, 7])
  expect(means(samples, 30)).toEqual([
    { at: 910, value: 4 },
    { at: 940, value: 8 },
  ])
})

function checkerOf(numbers: readonly number[], container = "web.1"): SequenceChecker {
  const checker = new SequenceChecker()
  for (const number of numbers) checker.add(container, "stdout", number)
  return checker
}
