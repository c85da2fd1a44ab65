/** Plain records of a json-file, as the engines write them: what is otherwise is left to `json-file.ts`. */
import { copy } from "../bytes.ts"
import { STREAM_NUMBERS } from "../runtime.ts"
import { type BlockBuilder, C1, HEAD_BYTES, KIND, KINDS, LAST_C1 } from "./block.ts"
import { isAt, Stamps } from "./stamp.ts"

const HEAD = Buffer.from('{"log":"')
const STDOUT = Buffer.from('\\n","stream":"stdout","time":"')
const STDERR = Buffer.from('\\n","stream":"stderr","time":"')
const TAIL = Buffer.from('"}\n')

const [FEED, BLANK, QUOTE, BACKSLASH] = [0x0a, 0x20, 0x22, 0x5c]

/** What stands behind a backslash, and for what, where that is plain; `n` and `u` are looked at by themselves. */
const ESCAPED = new Uint8Array(128)
for (const [letter, char] of ['""', "\\\\", "//", "t\t"]) {
  ESCAPED[(letter as string).charCodeAt(0)] = (char as string).charCodeAt(0)
}

/** In JSON, the two have a meaning, and a tab is written as an escape. */
const JSON_KINDS = KINDS.slice()
JSON_KINDS[QUOTE] = JSON_KINDS[BACKSLASH] = JSON_KINDS[0x09] = KIND.stop

const stamps = new Stamps()

/**
 * Takes plain records from `from` on, where a record begins, up to `to`, where one has ended. Where it stopped: at
 * the first record that is not plain, or does not fit.
 */
export function takeJsonFile(bytes: Buffer, from: number, to: number, into: BlockBuilder): number {
  const out = into.bytes
  let begin = from
  while (begin < to) {
    if (!isAt(bytes, begin, HEAD)) return begin
    let read = begin + HEAD.length
    const start = into.end
    let write = start + HEAD_BYTES
    let isAscii = true
    for (let span = read; ;) {
      // Most of a text, in a loop with nothing else in it.
      while (JSON_KINDS[bytes[read] as number] === KIND.ascii) read++
      const byte = bytes[read] as number
      if (JSON_KINDS[byte] === KIND.stop) {
        write = copy(bytes, span, read, out, write)
        const escaped = byte === BACKSLASH ? unescape(bytes, read + 1) : 0
        if (escaped === 0) break
        out[write++] = escaped
        read += bytes[read + 1] === 0x75 ? 6 : 2
        span = read
        continue
      }
      read++
      isAscii = false
      if (byte === C1 && (bytes[read] as number) <= LAST_C1) return begin
    }
    const isOut = isAt(bytes, read, STDOUT)
    if (!isOut && !isAt(bytes, read, STDERR)) return begin
    read += STDOUT.length
    const end = stamps.write(bytes, read, QUOTE, out, start)
    if (end < 0 || !isAt(bytes, end, TAIL)) return begin
    out[start + HEAD_BYTES - 1] = BLANK
    out[write] = FEED
    if (!into.add(start, write, isOut ? STREAM_NUMBERS.stdout : STREAM_NUMBERS.stderr, isAscii))
      return begin
    begin = end + TAIL.length
  }
  return begin
}

/** The character that an escape stands for, from behind its backslash; 0: it is not plain, or the end of the line. */
function unescape(bytes: Buffer, at: number): number {
  const letter = bytes[at] as number
  if (letter !== 0x75) return ESCAPED[letter] ?? 0
  // `\u003c`: the engines escape `<`, `>` and `&`.
  if (bytes[at + 1] !== 0x30 || bytes[at + 2] !== 0x30) return 0
  const digits = bytes.toString("latin1", at + 3, at + 5)
  const code = /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : 0
  return KINDS[code] === KIND.ascii ? code : 0
}
