/** The positions of a block are those that its lines have. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import { PlacedBlock } from "../../src/logapi/placed-block.ts"
import type { Block } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { type Instant, toInstant } from "../../src/time.ts"
import { linesIn } from "../block-lines.ts"
import { toBlocks } from "../records/blocks.ts"

const SECOND = 1_000_000_000n
/** 10,000 AD, where instants end. */
const END = 253_402_300_800n * SECOND

/** Any that can be said, and the days around which calendars differ. */
const instants: fc.Arbitrary<Instant> = fc
  .oneof(
    fc.bigInt(0n, END - 1n),
    fc
      .tuple(
        fc.constantFrom(1970, 1972, 1999, 2000, 2026, 2038, 2100, 2106, 2400, 9999),
        fc.constantFrom("01-01", "02-28", "03-01", "12-31"),
        fc.nat(86_399),
      )
      .map(([year, day, second]) => {
        return BigInt(Date.parse(`${year}-${day}T00:00:00Z`)) * 1_000_000n + BigInt(second) * SECOND
      }),
  )
  .map(toInstant)

test("whenever they are stamped, and however long they are", () => {
  const records = fc.array(
    fc.record({
      stream: fc.constantFrom("stdout", "stderr"),
      timestamp: instants,
      text: fc.nat(200).map((length) => "some text, and more ".repeat(10).slice(0, length)),
      ended: fc.constant(true),
    }),
    { minLength: 1, maxLength: 20 },
  )
  fc.assert(
    fc.property(records, (list: readonly LogRecord[]) => {
      const block = new PlacedBlock(toBlocks(list)[0] as Block, new AnchorTracker(true))
      const positions = linesIn(block).map(({ position }) => position)
      expect(positions).toEqual(block.lines.map(({ position }) => position))
    }),
    { numRuns: 3_000 },
  )
})
