/** Plain records of a k8s-file or CRI log, as their writers write them: what is otherwise is left to `cri.ts`. */
import { copy } from "../bytes.ts"
import { STREAM_NUMBERS } from "../runtime.ts"
import { type BlockBuilder, endOfText, HEAD_BYTES } from "./block.ts"
import { isAt, Stamps } from "./stamp.ts"

const STDOUT = Buffer.from(" stdout F ")
const STDERR = Buffer.from(" stderr F ")

const [FEED, BLANK] = [0x0a, 0x20]

const stamps = new Stamps()

/**
 * Takes plain records from `from` on, where a record begins, up to `to`, where one has ended. Where it stopped: at
 * the first record that is not plain, or does not fit.
 */
export function takeCri(bytes: Buffer, from: number, to: number, into: BlockBuilder): number {
  const out = into.bytes
  let begin = from
  while (begin < to) {
    const start = into.end
    const end = stamps.write(bytes, begin, BLANK, out, start)
    const isOut = isAt(bytes, end, STDOUT)
    if (end < 0 || (!isOut && !isAt(bytes, end, STDERR))) return begin
    const text = end + STDOUT.length
    const stop = endOfText(bytes, text)
    const read = stop < 0 ? ~stop : stop
    if (bytes[read] !== FEED) return begin
    const write = copy(bytes, text, read, out, start + HEAD_BYTES)
    out[start + HEAD_BYTES - 1] = BLANK
    out[write] = FEED
    if (!into.add(start, write, isOut ? STREAM_NUMBERS.stdout : STREAM_NUMBERS.stderr, stop >= 0))
      return begin
    begin = read + 1
  }
  return begin
}
