/** The positions of a block are those that its lines have. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import { PlacedBlock } from "../../src/logapi/placed-block.ts"
import type { Block } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { linesIn } from "../block-lines.ts"
import { stamp } from "../records/wire.ts"
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
      const positions = block.lines.map(({ position }) => position)
      expect(linesIn(block).map(({ position }) => position)).toEqual(positions)
    }),
    { numRuns: 3_000 },
  )
})

/** So many megabytes that the kernels' memory has to grow. */
const LARGE = 24

test("whoever else needs the kernels' memory before they are asked", () => {
  const numbers = fc.array(fc.nat(3), { maxLength: 12 })
  let grown = 0
  const make = (from: number, count: number, text: string) =>
    Array.from({ length: count }, (_, at) => plain(`${from + at} ${text}`, from + at))
  const place = (records: readonly LogRecord[]) =>
    new PlacedBlock(toBlocks(records)[0] as Block, new AnchorTracker(true))
  fc.assert(
    fc.property(numbers, (steps) => {
      const waiting: { readonly block: PlacedBlock; readonly records: readonly LogRecord[] }[] = []
      const check = () => {
        const { block, records } = waiting.shift() ?? {}
        const texts = block && linesIn(block).map(({ message }) => message)
        expect(texts).toEqual(records?.map(({ text }) => text))
        if (block) expect(() => linesIn(block)).toThrow("nothing is left of the block")
      }
      for (const [at, step] of steps.entries()) {
        const records = make(at * 100, 1 + step, "text")
        if (step === 0) check()
        else waiting.push({ block: place(records), records })
        if (step === 1) expect(waiting.at(-1)?.block.lines[0]?.message).toBe(records[0]?.text)
        if (step === 2 && grown++ < LARGE) place(make(0, 1, "x".repeat(grown * 1_048_576)))
      }
      while (waiting.length > 0) check()
    }),
  )
  expect(grown).toBeGreaterThan(LARGE)
})

function plain(text: string, nanoseconds: number): LogRecord {
  return { stream: "stdout", timestamp: stamp(nanoseconds), text, ended: true }
}
