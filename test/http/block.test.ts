/** A block is written as its lines would be, one by one. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Member } from "../../src/apps/app.ts"
import { encodeBlock } from "../../src/http/block.ts"
import { encodeNdjson, encodeNdjsonLine } from "../../src/http/ndjson.ts"
import { encodeSse } from "../../src/http/sse.ts"
import { createTextRow } from "../../src/http/text.ts"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import { PlacedBlock } from "../../src/logapi/placed-block.ts"
import { Block } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { Line } from "../../src/runtime.ts"
import { Scratch } from "../../src/scratch.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import { toBlocks } from "../records/blocks.ts"
import { stamp, utf8 } from "../records/wire.ts"
import { makeMember } from "./fakes.ts"
import { hostile } from "./hostile.ts"

const words = fc.constantFrom("a word", '"', "\\", "\t", "é", "\u2028", "🚀", "</script>")

const texts = fc.array(words, { maxLength: 4 }).map((parts) => utf8(parts.join(" ")))

/** What stands before a block is stamped like its first one, or earlier. */
const blocks = fc
  .array(
    fc.record({
      stream: fc.constantFrom("stdout", "stderr"),
      text: texts,
      later: fc.constantFrom(0, 0, 70_000_000, -1_000),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .chain((list) => fc.tuple(fc.constant(list), fc.nat(list.length - 1)))
  .map(([list, met]): readonly [LogRecord[], LogRecord[]] => {
    let at = 0
    const records = list.map(({ later, ...each }): LogRecord => ({
      ...each,
      timestamp: stamp((at += later)),
      ended: true,
    }))
    return [records.slice(0, met), records.slice(met)]
  })
  .filter(([met, records]) => {
    return met.every(({ timestamp }) => timestamp <= (records[0] as LogRecord).timestamp)
  })
  .map(([met, records]) => {
    const before = new AnchorTracker(true)
    for (const record of met) before.push(record)
    const [block, ...more] = toBlocks(records)
    if (!(block instanceof Block) || more.length > 0)
      throw new Error("the records are not all plain")
    return new PlacedBlock(block, before)
  })

type Encode = (member: Member, line: Line) => string

const event = (member: Member, line: Line): StreamEvent => ({
  type: "log",
  member,
  line,
  cursor: `v1.abc.0123456789ab${line.position}.ba9876543210b`,
})

const FORMATS: readonly {
  readonly name: string
  readonly inJson: boolean
  readonly encode: Encode
}[] = [
  { name: "SSE", inJson: true, encode: (member, line) => encodeSse(event(member, line), false) },
  {
    name: "verbose SSE",
    inJson: true,
    encode: (member, line) => encodeSse(event(member, line), true),
  },
  {
    name: "NDJSON",
    inJson: true,
    encode: (member, line) => encodeNdjsonLine({ member, line }, false),
  },
  {
    name: "verbose NDJSON",
    inJson: true,
    encode: (member, line) => encodeNdjson(event(member, line), true),
  },
  {
    name: "text",
    inJson: false,
    encode: (member, line) => createTextRow([member.service], "keep")({ member, line }),
  },
  {
    name: "JSON",
    inJson: true,
    encode: (member, line) =>
      JSON.stringify(createTextRow([member.service], "raw")({ member, line })).slice(1, -1),
  },
]

for (const { name, inJson, encode } of FORMATS) {
  test(`a block in ${name} is what its lines are`, () => {
    fc.assert(
      fc.property(blocks, hostile, (block, service) => {
        const member = makeMember(service)
        const lines = block.lines.map((line) => encode(member, line))
        const bytes = encodeBlock(block, (line) => encode(member, line), inJson, new Scratch())
        expect(Buffer.from(bytes).equals(Buffer.from(lines.join("")))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
}
