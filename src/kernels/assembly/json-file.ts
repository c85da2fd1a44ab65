/** Plain records of a json-file, as the engines write them. */
import { OPEN } from "./block"
import { copy, copyAsciiJson, isSame, literal } from "./bytes"
import * as columns from "./columns"
import { INSTANT_BYTES, takeTime } from "./stamp"
import { wideBytes } from "./utf8"

const HEAD = literal('{"log":"')
const HEAD_BYTES: usize = 8
const STDOUT = literal('","stream":"stdout","time":"')
const STDERR = literal('","stream":"stderr","time":"')
const STREAM_BYTES: usize = 28
/** `\\n`, behind which a text ends. */
const FEED: u16 = 0x6e5c
/** `"}\n`. */
const TAIL: u32 = 0x0a7d22

/**
 * Takes records from `from` on, up to `to`, where one has ended: behind each stands a line feed, and no control character
 * inside of it, so that none is taken that goes on behind `to`. Where it stopped.
 */
export function takeJsonFile(from: usize, to: usize): usize {
  let begin = from
  let done = from
  while (begin < to && !columns.isFull()) {
    if (!isSame(begin, HEAD, HEAD_BYTES)) return done
    const start = columns.written
    const feed = takeText(begin + HEAD_BYTES, start + INSTANT_BYTES + 1)
    const isFull = load<u16>(ended) == FEED
    const close = isFull ? ended + 2 : ended
    const isOut = isSame(close, STDOUT, STREAM_BYTES)
    if (!isOut && !isSame(close, STDERR, STREAM_BYTES)) return done
    const end = takeTime(close + STREAM_BYTES, start)
    if (end == 0 || (load<u32>(end) & 0xffffff) != TAIL) return done
    store<u8>(start + INSTANT_BYTES, 0x20)
    store<u8>(feed, 0x0a)
    const stream: u8 = isOut ? 1 : 2
    if (!columns.add(start, feed, isFull ? stream : stream | OPEN)) return done
    begin = end + 3
    if (isFull) done = begin
  }
  return done
}

/** Where the text ended that was taken last. */
let ended: usize = 0

/** Copies a text as what it stands for, up to what is not plain; where the copy ends. */
function takeText(from: usize, to: usize): usize {
  let read = from
  let write = to
  for (;;) {
    const bytes = copyAsciiJson(read, write)
    write += bytes
    read += bytes
    const byte = load<u8>(read)
    if (byte == 0x5c) {
      const char = unescape(read + 1)
      if (char == 0) break
      store<u8>(write++, char)
      read += load<u8>(read, 1) == 0x75 ? 6 : 2
      continue
    }
    const wide = byte >= 0x80 ? wideBytes(read) : 0
    if (wide == 0) break
    write = copy(read, wide, write)
    read += wide
  }
  ended = read
  return write
}

/** The character that an escape stands for, from behind its backslash; 0: it is not plain, or the end of the line. */
function unescape(at: usize): u8 {
  const letter = load<u8>(at)
  if (letter == 0x22 || letter == 0x5c || letter == 0x2f) return letter
  if (letter == 0x74) return 0x09
  // `\u003c`: the engines escape `<`, `>` and `&`.
  if (letter != 0x75 || load<u16>(at, 1) != 0x3030) return 0
  const char = (hexOf(load<u8>(at, 3)) << 4) | hexOf(load<u8>(at, 4))
  return (char >= 0x20 && char < 0x7f) || char == 0x09 ? char : 0
}

/** What is none makes a byte that is no ASCII. */
function hexOf(digit: u8): u8 {
  if (digit >= 0x30 && digit <= 0x39) return digit - 0x30
  const letter = digit | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 0xff
}
