import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { POSITION } from "../../src/runtime.ts"
import {
  containerKey,
  type Cursor,
  CURSOR_LIMIT,
  formatCursor,
  MovingCursor,
  parseCursor,
} from "../../src/stream/cursor.ts"
import { toInstant } from "../../src/time.ts"

const instants = fc.bigInt({ min: 0n, max: 253_402_300_799_999_999_999n }).map(toInstant)
const ids = fc.integer({ min: 0, max: 9 }).map((digit) => String(digit).repeat(64))
const positions = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/),
  fc.constantFrom("b", "-", "_".repeat(160)),
)

const cursors: fc.Arbitrary<Cursor> = fc
  .tuple(
    instants,
    fc.uniqueArray(fc.tuple(ids, positions), { selector: ([id]) => id, maxLength: 9 }),
  )
  .map(([opened, list]) => {
    return { opened, positions: new Map(list.map(([id, at]) => [containerKey(id), at])) }
  })

describe("a cursor", () => {
  test("comes back from its text as it was", () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = formatCursor(cursor)
        expect(text).toMatch(/^[A-Za-z0-9_.-]+$/)
        expect(parseCursor(text)).toEqual(cursor)
      }),
      { numRuns: 3_000 },
    )
  })

  test("that was changed on its way is another one or none, and names nothing but containers", () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.string({ maxLength: 4 }), fc.nat(4)), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(cursors, changes, (cursor, list) => {
        let text = formatCursor(cursor)
        for (const [place, put, cut] of list) {
          const at = place % (text.length + 1)
          text = text.slice(0, at) + put + text.slice(at + cut)
        }
        const read = parseCursor(text)
        if (!read) return
        for (const [key, position] of read.positions) {
          expect(key).toMatch(/^[0-9a-f]{12}$/)
          expect(position).toMatch(POSITION)
          expect(text).toContain(`.${key}${position}`)
        }
        // What was read is said again as it was, but for zeros before the time, and times behind the last one.
        expect(parseCursor(formatCursor(read))).toEqual(read)
      }),
      { numRuns: 5_000 },
    )
  })

  test("is refused in any other form", () => {
    const key = "0123456789ab"
    for (const text of [
      "",
      "v1",
      "v1.",
      "v2.abc",
      "v1.ABC",
      "v1.-1",
      "v1.0123456789abcde",
      `v1.abc.${key}`,
      `v1.abc.${key}p.`,
      `v1.abc..${key}p`,
      `v1.abc.${key}p.${key}q`,
      `v1.abc.0123456789aBp`,
      `v1.abc.${key}p q`,
      `v1.abc.${key}p\n`,
      `v1.abc.${key}${"p".repeat(161)}`,
      ` v1.abc.${key}p`,
      `v1.abc${`.${key}p`.repeat(CURSOR_LIMIT / 10)}`,
    ]) {
      expect(parseCursor(text)).toBeUndefined()
    }
  })
})

describe("a moving cursor", () => {
  test("says at every step what a cursor of the same positions says", () => {
    const moves = fc.array(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc.record({ do: fc.constant("move" as const), id: ids, to: positions }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const), id: ids }) },
        {
          weight: 1,
          arbitrary: fc.record({ do: fc.constant("retain" as const), ids: fc.array(ids) }),
        },
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(cursors, moves, (start, list) => {
        const moving = new MovingCursor(start)
        const expected = new Map(start.positions)
        for (const move of list) {
          if (move.do === "move") {
            moving.move(move.id, move.to)
            expected.set(containerKey(move.id), move.to)
          } else if (move.do === "forget") {
            moving.forget(move.id)
            expected.delete(containerKey(move.id))
          } else {
            moving.retain(move.ids)
            const keys = new Set(move.ids.map(containerKey))
            for (const key of expected.keys()) if (!keys.has(key)) expected.delete(key)
          }
          expect(moving.text).toBe(formatCursor({ opened: start.opened, positions: expected }))
          for (const digit of "0123456789") {
            const id = digit.repeat(64)
            expect(moving.position(id)).toBe(expected.get(containerKey(id)))
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
