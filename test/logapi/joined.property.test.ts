/** Lines whose parts are records of their own are the same lines, at the same places, in blocks as one by one. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { BEGINNING, formatPlace } from "../../src/logapi/place.ts"
import { Scan } from "../../src/logapi/scan.ts"
import { Block } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { Line } from "../../src/runtime.ts"
import { linesIn } from "../block-lines.ts"
import { toBlocks } from "../records/blocks.ts"
import { stamp, utf8 } from "../records/wire.ts"

const MILLISECOND = 1_000_000

/** No limit is smaller; half of it is the most that a block joins. */
const LIMIT = 65_536

const rules = { partsShareTime: false, crlf: false, limitBytes: LIMIT }

const texts = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("", "a", "part", ' of "a" line', "wörd", "\\", "\t") },
  { weight: 1, arbitrary: fc.constantFrom("x".repeat(LIMIT / 2 - 100), "y".repeat(LIMIT)) },
  { weight: 1, arbitrary: fc.constantFrom("\r", "\x1b[0m") },
)

const often = (weight: number, common: unknown, ...others: readonly unknown[]) =>
  fc.oneof(
    { weight, arbitrary: fc.constant(common) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )

const records = fc
  .array(
    fc.record({
      stream: often(8, "stdout", "stderr"),
      later: often(5, 0, 1, MILLISECOND, 9 * MILLISECOND, 10 * MILLISECOND, -MILLISECOND),
      text: texts,
      ended: often(2, true, false),
    }),
    { maxLength: 30 },
  )
  .map((list) => {
    let at = 0
    return list.map(
      ({ later, text, ...each }) =>
        ({ ...each, text: utf8(text), timestamp: stamp((at += later as number)) }) as LogRecord,
    )
  })

function begin(): Scan {
  const origin = { at: "place", place: BEGINNING, window: false } as const
  return new Scan(origin, rules, { horizon: () => stamp(0) })
}

test("wherever lines are cut, whatever stands between, and however long they are", () => {
  let [joined, parts] = [0, 0]
  fc.assert(
    fc.property(records, (list) => {
      const oneByOne = begin()
      const inBlocks = begin()
      const wanted = list.flatMap((record) => oneByOne.push([record]))
      // The very first record tells where the log begins: it is never in a block.
      const got = [list.slice(0, 1), ...toBlocks(list.slice(1), true)].flatMap((some) => {
        if (!(some instanceof Block && inBlocks.isInStepWith(some))) {
          return inBlocks.push(some instanceof Block ? some.records() : some)
        }
        joined += some.length - some.lines
        const placed = inBlocks.pass(some)
        const asObjects = placed.lines.map(told)
        const lines = linesIn(placed)
        expect(lines.length).toBe(placed.length)
        expect(placed.first).toBe(lines[0]?.timestamp as never)
        const isLate = ({ timestamp }: Line) => timestamp > placed.latest
        expect(lines.filter(isLate)).toEqual([])
        expect(asObjects).toEqual(lines.map(told))
        return lines
      })
      expect(got.map(told)).toEqual(wanted.map(told))
      expect(formatPlace(inBlocks.place)).toBe(formatPlace(oneByOne.place))
      expect([inBlocks.clean, inBlocks.seen]).toEqual([oneByOne.clean, oneByOne.seen])
      parts += list.filter(({ ended }) => !ended).length
    }),
    { numRuns: 5_000 },
  )
  expect(joined).toBeGreaterThan(parts / 10)
})

/** Lines tell their positions when they are asked. */
function told({ stream, timestamp, message, position, partial }: Line) {
  return { stream, timestamp, message, position, partial: partial ?? false }
}
