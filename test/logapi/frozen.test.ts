/** Clients keep positions over upgrades: what one says of these records may not change. */
import { expect, test } from "bun:test"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import { formatPlace, type Anchor } from "../../src/logapi/place.ts"
import { PlacedBlock } from "../../src/logapi/placed-block.ts"
import type { Block } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { linesIn } from "../block-lines.ts"
import { toBlocks } from "../records/blocks.ts"
import { stamp, utf8 } from "../records/wire.ts"

const plain = (text: string, nanoseconds: number): LogRecord => ({
  stream: "stdout",
  timestamp: stamp(nanoseconds),
  text: utf8(text),
  ended: true,
})

/** The last one by a clock that stepped back. */
const RECORDS = [
  plain("one", 0),
  plain("two", 0),
  plain("wörld", 0),
  plain("two", 0),
  plain("three", 7),
  plain("four", 3),
]

const POSITIONS = [
  "atjxm0w000000000-1-1-1tgahzb",
  "atjxm0w000000000-2-2-1tgahzb_tg524x",
  "atjxm0w000000000-3-3-12jd1uc_13d42gj",
  "atjxm0w000000000-4-4-1dyatfz_tg524x",
  "atjxm0w000000007-1-1-1mg54ta",
  "atjxm0w000000007-2-2-1mg54ta_1j2j7w0",
]

test("of a record by itself, and behind others of its time", () => {
  const tracker = new AnchorTracker(true)
  const told = RECORDS.map((record) => {
    tracker.push(record)
    return formatPlace({ base: tracker.anchor as Anchor, lines: 0 })
  })
  expect(told).toEqual(POSITIONS)
})

test.each([0, 1, 2, 3, 4])("of the same records, those behind the first %d in a block", (met) => {
  const before = new AnchorTracker(true)
  for (const record of RECORDS.slice(0, met)) before.push(record)
  const [block] = toBlocks(RECORDS.slice(met))
  const lines = linesIn(new PlacedBlock(block as Block, before))
  expect(lines.map(({ position }) => position)).toEqual(POSITIONS.slice(met))
})
