/** Records as a source hands them over that makes blocks of what is plain, however little it is. */
import type { Records } from "../../src/records/block.ts"
import { PlainBlocks } from "../../src/records/plain-blocks.ts"
import type { LogRecord } from "../../src/records/record.ts"

/** Each of the blocks is as long as it can be. `joins`: parts of lines are in them too, where kernels take them. */
export function toBlocks(records: readonly LogRecord[], joins = false): Records[] {
  const all: Records[] = []
  for (let from = 0; from < records.length;) {
    const isNext = (record: LogRecord) => !(isPlain(record) && (joins || record.ended))
    const next = records.findIndex((record, index) => index >= from && isNext(record))
    const to = next < 0 ? records.length : next
    const taken = take(records.slice(from, to))
    if (!joins && taken.length > 1) throw new Error("not all of the records are plain")
    all.push(...taken)
    if (next >= 0) all.push([records[next] as LogRecord])
    from = to + 1
  }
  return all
}

/** But tab. */
export const CONTROL = /[\p{Cc}--\t]/v

function isPlain({ text, damaged, opensRun }: LogRecord): boolean {
  const bytes = Buffer.from(text, "latin1")
  const said = bytes.toString("utf8")
  return !CONTROL.test(said) && Buffer.from(said).equals(bytes) && !damaged && !opensRun
}

/** Written as a CRI log has them. */
function take(records: readonly LogRecord[]): Records[] {
  const lines = records.map(({ timestamp, stream, text, ended }) =>
    Buffer.from(`${timestamp} ${stream} ${ended ? "F" : "P"} ${text}\n`, "latin1"),
  )
  const blocks = new PlainBlocks(Buffer.concat(lines), "cri")
  const all: Records[] = []
  for (let index = 0, at = 0; index < records.length;) {
    const block = blocks.take(at)
    all.push(block ?? [records[index] as LogRecord])
    const end = index + (block?.length ?? 1)
    for (const line of lines.slice(index, end)) at += line.length
    index = end
  }
  return all
}
