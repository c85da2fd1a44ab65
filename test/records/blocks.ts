/** Records as a source hands them over that makes blocks of what is plain, however little it is. */
import type { Records } from "../../src/records/block.ts"
import { PlainBlocks } from "../../src/records/plain-blocks.ts"
import type { LogRecord } from "../../src/records/record.ts"

/** Each of the blocks is as long as it can be. */
export function toBlocks(records: readonly LogRecord[]): Records[] {
  const all: Records[] = []
  for (let from = 0; from < records.length;) {
    const isNext = (record: LogRecord) => !isPlain(record)
    const next = records.findIndex((record, index) => index >= from && isNext(record))
    const to = next < 0 ? records.length : next
    if (to > from) all.push(blockOf(records.slice(from, to)))
    if (next >= 0) all.push([records[next] as LogRecord])
    from = to + 1
  }
  return all
}

/** But tab. */
export const CONTROL = /[\p{Cc}--\t]/v

function isPlain({ text, ended, damaged, opensRun }: LogRecord): boolean {
  const bytes = Buffer.from(text, "latin1")
  const said = bytes.toString("utf8")
  const isText = !CONTROL.test(said) && Buffer.from(said).equals(bytes)
  return isText && ended && !damaged && !opensRun
}

/** Written as a CRI log has them. */
function blockOf(records: readonly LogRecord[]): Records {
  const lines = records.map(({ timestamp, stream, text }) => `${timestamp} ${stream} F ${text}\n`)
  const block = new PlainBlocks(Buffer.from(lines.join(""), "latin1"), "cri").take(0)
  if (block?.length !== records.length) throw new Error("not all of the records are plain")
  return block
}
