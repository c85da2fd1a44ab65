import { describe, expect, test } from "bun:test"
import type { Received, Told } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { checkNumbered, wrongBounds } from "./numbered.ts"

const CONTAINER = "shop-web"

/** Each stream of the container counts for itself. */
function line(
  stream: "stdout" | "stderr",
  number: number,
  second: number,
): Received & { stream: "stdout" | "stderr" } {
  const message = `${CONTAINER}.1 ${stream} ${String(number).padStart(10, "0")} x`
  return { container: CONTAINER, service: "web", stream, timestamp: time(second), message }
}

function time(second: number): string {
  return `2026-08-20T12:34:${String(second).padStart(2, "0")}.000000000Z`
}

function gap(at: number, from: string, to: string | null, service = "web"): Told {
  return { type: "gap", at, data: { service, reason: "rotated", from, to } }
}

const STORED = [5, 6, 7, 8].flatMap((n) => [line("stdout", n, 2 * n), line("stderr", n, 2 * n + 1)])

/** What is found when some of these lines do not come. */
function check(
  missing: readonly number[],
  gaps: readonly Told[],
  stored = STORED.slice(-2),
): Ledger {
  const ledger = new Ledger()
  const lines = STORED.filter((_, index) => !missing.includes(index))
  checkNumbered(ledger, "x", { lines, gaps }, new Map([[CONTAINER, stored]]))
  return ledger
}

describe("a stream of numbered lines", () => {
  test("is whole from wherever it begins to the last line stored", () => {
    expect(check([], []).faults).toEqual([])
    expect(check([0, 1], []).faults).toEqual([])
    expect(check([7], []).lost).toBe(1)
    expect(check([6, 7], []).lost).toBe(2)
    // Nothing of one stream is left at the end, or nothing at all.
    expect(check([], [], STORED.slice(-1)).faults).toEqual([])
    expect(check([4], [], []).lost).toBe(1)
    expect(check([], [], []).faults).toEqual([])
  })

  test("lacks lines of both streams at a gap, and nowhere else", () => {
    const behind = gap(2, time(11), time(14))
    expect(check([2, 3], [behind])).toMatchObject({ told: 2, lost: 0 })
    expect(check([2, 3], [])).toMatchObject({ told: 0, lost: 2 })
    expect(check([4, 5], [behind])).toMatchObject({ told: 0, lost: 2 })
    expect(check([2, 3], [gap(2, time(11), time(14), "db")])).toMatchObject({ told: 0, lost: 2 })
  })

  test("may have a piece of a line where it begins and behind a gap, and nowhere else", () => {
    const pieceAt = (at: number, gaps: readonly Told[]) => {
      const ledger = new Ledger()
      const piece = { ...(STORED[at] as Received), message: "0007 x" }
      const lines = STORED.with(at, piece as (typeof STORED)[number])
      checkNumbered(ledger, "x", { lines, gaps }, new Map([[CONTAINER, STORED.slice(-2)]]))
      return ledger.faults.length
    }
    expect(pieceAt(0, [])).toBe(0)
    expect(pieceAt(2, [gap(2, time(11), time(12))])).toBe(0)
    // One that is not the writer's, and one that is lost.
    expect(pieceAt(2, [])).toBe(2)
    expect(pieceAt(4, [gap(2, time(11), time(12))])).toBe(2)
  })

  test("says between which times lines are missing", () => {
    const lines = STORED.filter((_, index) => index !== 2 && index !== 3)
    expect(wrongBounds({ lines, gaps: [gap(2, time(11), time(14))] })).toEqual([])
    for (const wrong of [
      gap(2, time(10), time(14)),
      gap(2, time(11), time(15)),
      gap(1, time(11), time(14)),
    ]) {
      expect(wrongBounds({ lines, gaps: [wrong] })).toHaveLength(1)
    }
    // While a line was half read, one more had come.
    const halfRead = { lines, gaps: [gap(2, time(10), time(14))] }
    expect(wrongBounds(halfRead, 50)).toEqual([])
    expect(wrongBounds(halfRead, 20)).toHaveLength(1)
    expect(wrongBounds({ lines, gaps: [gap(2, time(9), time(14))] }, 50)).toHaveLength(1)
    // Told before there was a line behind it.
    for (const to of [time(11), null]) {
      expect(wrongBounds({ lines, gaps: [gap(2, time(11), to)] })).toEqual([])
      expect(wrongBounds({ lines, gaps: [gap(2, time(10), to)] })).toHaveLength(1)
    }
    // Cut off behind the gap, and the log went on meanwhile.
    const gaps = [gap(2, time(11), time(12)), gap(2, time(11), time(14))]
    expect(wrongBounds({ lines, gaps })).toEqual([])
  })
})
