import { describe, expect, test } from "bun:test"
import type { StoredLine } from "../stored.ts"
import { Ledger } from "./ledger.ts"

const STORED = [0, 1, 2, 3, 4].map((index): StoredLine => {
  const timestamp = `2026-08-20T12:34:56.00000000${index}Z`
  return { stream: "stdout", timestamp, message: `line ${index}` }
})

/** What is found when lines with these numbers come, in this order, with gaps before some of them. */
function check(
  numbers: readonly number[],
  span: { from: number; to?: number },
  gaps: readonly number[] = [],
): Ledger {
  const ledger = new Ledger()
  const lines = numbers.map((number) => ({ ...(STORED[number] as StoredLine) }))
  ledger.check("x", lines, STORED, span, gaps)
  return ledger
}

describe("the ledger", () => {
  test("finds nothing wrong with every line once and in order", () => {
    expect(check([0, 1, 2, 3, 4], { from: 0, to: 5 }).faults).toEqual([])
    expect(check([2, 3], { from: 2 }).faults).toEqual([])
    expect(check([], { from: 5, to: 5 }).faults).toEqual([])
  })

  test("finds what is lost: in between, at the start, and at the end", () => {
    expect(check([0, 1, 3], { from: 0 }).lost).toBe(1)
    expect(check([1, 2], { from: 0 }).lost).toBe(1)
    expect(check([0, 1, 2], { from: 0, to: 5 }).lost).toBe(2)
    expect(check([0, 1, 2], { from: 0 }).lost).toBe(0)
  })

  test("takes what is missing at a gap for told, and nothing else", () => {
    const found = (ledger: Ledger) => [ledger.told, ledger.lost]
    expect(found(check([0, 3], { from: 0 }, [1]))).toEqual([2, 0])
    expect(found(check([0, 2, 4], { from: 0 }, [1]))).toEqual([1, 1])
    expect(found(check([0, 2, 4], { from: 0 }, [2]))).toEqual([1, 1])
    expect(found(check([0, 2], { from: 0, to: 5 }, [2]))).toEqual([2, 1])
    expect(found(check([2, 3], { from: 0 }, [0]))).toEqual([2, 0])
    expect(found(check([2, 3], { from: 0 }, [1]))).toEqual([0, 2])
    expect(check([0, 0, 1], { from: 0 }, [1]).doubled).toBe(1)
  })

  test("finds what comes twice, and what should not come again", () => {
    expect(check([0, 1, 1, 2], { from: 0 }).doubled).toBe(1)
    expect(check([1, 2, 3], { from: 2 }).doubled).toBe(1)
  })

  test("finds what comes out of order, and what comes after its end", () => {
    const { reordered, lost, doubled } = check([0, 2, 1, 3], { from: 0 })
    expect([reordered, lost, doubled]).toEqual([1, 0, 0])
    expect(check([0, 1, 2], { from: 0, to: 2 }).unexplained).toBe(1)
  })

  test("finds a line that is not the one stored, in any of its words", () => {
    for (const change of [{ stream: "stderr" }, { message: "line 1 " }, { timestamp: "later" }]) {
      const ledger = new Ledger()
      ledger.check("x", [{ ...(STORED[1] as StoredLine), ...change }], STORED, { from: 1, to: 2 })
      expect([ledger.unexplained, ledger.lost]).toEqual([1, 1])
      expect(ledger.faults).toHaveLength(2)
    }
  })

  test("finds lines of a container that there is not, and containers without a line", () => {
    const ledger = new Ledger()
    const stray = { container: "stray", ...(STORED[0] as StoredLine) }
    ledger.checkWhole("x", [stray], new Map([["real", STORED]]))
    expect([ledger.unexplained, ledger.lost]).toEqual([1, 5])
  })
})
