/** Plain records of a k8s-file or CRI log, as their writers write them. */
import { OPEN } from "./block"
import { isSame, literal } from "./bytes"
import * as columns from "./columns"
import { INSTANT_BYTES, takeTime } from "./stamp"
import { copyText } from "./text"

const STDOUT = literal(" stdout ")
const STDERR = literal(" stderr ")
const STREAM_BYTES: usize = 8
/** `F `: a line ends here. `P `: it does not. */
const FULL: u16 = 0x2046
const PARTIAL: u16 = 0x2050

/** Takes records as `takeJsonFile` does. */
export function takeCri(from: usize, to: usize): usize {
  let begin = from
  let done = from
  while (begin < to && !columns.isFull()) {
    const start = columns.written
    const end = takeTime(begin, start)
    if (end == 0) return done
    const isOut = isSame(end, STDOUT, STREAM_BYTES)
    if (!isOut && !isSame(end, STDERR, STREAM_BYTES)) return done
    const flag = load<u16>(end + STREAM_BYTES)
    if (flag != FULL && flag != PARTIAL) return done
    const text = end + STREAM_BYTES + 2
    const to = start + INSTANT_BYTES + 1
    const bytes = copyText(text, to)
    const stop = text + bytes
    if (load<u8>(stop) != 0x0a) return done
    store<u8>(start + INSTANT_BYTES, 0x20)
    const feed = to + bytes
    store<u8>(feed, 0x0a)
    const stream: u8 = isOut ? 1 : 2
    if (!columns.add(start, feed, flag == FULL ? stream : stream | OPEN)) return done
    begin = stop + 1
    if (flag == FULL) done = begin
  }
  return done
}
