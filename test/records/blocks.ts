/** Records as a source hands them over that makes blocks of what is plain, however little it is. */
import { BlockBuilder, type Records } from "../../src/records/block.ts"
import { STREAM_NUMBERS } from "../../src/runtime.ts"
import type { LogRecord } from "../../src/records/record.ts"

/** Each of the blocks is as long as it can be. */
export function toBlocks(records: readonly LogRecord[]): Records[] {
  const raw = records.map(({ timestamp, text }) => `${timestamp} ${text}\n`)
  const bytes = Buffer.from(raw.join(""), "latin1")
  const builder = new BlockBuilder(bytes, records.length)
  const all: Records[] = []
  const flush = () => {
    const block = builder.take()
    if (block) all.push(block)
  }
  let start = 0
  for (const [index, record] of records.entries()) {
    const end = start + (raw[index] as string).length - 1
    const add = () => builder.add(start, end, STREAM_NUMBERS[record.stream], isAscii(record.text))
    if (!isPlain(record) || !add()) {
      flush()
      all.push([record])
    }
    start = end + 1
  }
  flush()
  return all
}

/** But tab. */
export const CONTROL = /[\p{Cc}--\t]/v

function isPlain({ text, ended, damaged, opensRun }: LogRecord): boolean {
  const isText = !CONTROL.test(Buffer.from(text, "latin1").toString("utf8"))
  return isText && ended && !damaged && !opensRun
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
