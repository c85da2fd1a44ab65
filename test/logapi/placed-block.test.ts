/** The positions of a block are those that its lines have. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import { PlacedBlock } from "../../src/logapi/placed-block.ts"
import type { Block } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { linesIn } from "../block-lines.ts"
import { toBlocks } from "../records/blocks.ts"
import { instants } from "../records/instants.ts"

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
