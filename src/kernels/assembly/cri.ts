/** Plain records of a k8s-file or CRI log, as their writers write them. */
import { copy, isSame, literal } from "./bytes"
import * as columns from "./columns"
import { INSTANT_BYTES, takeTime } from "./stamp"
import { endOfText } from "./text"

const STDOUT = literal(" stdout F ")
const STDERR = literal(" stderr F ")
const STREAM_BYTES: usize = 10

/** Takes records as `takeJsonFile` does. */
export function takeCri(from: usize, to: usize): usize {
  let begin = from
  while (begin < to && !columns.isFull()) {
    const start = columns.written
    const end = takeTime(begin, start)
    if (end == 0) return begin
    const isOut = isSame(end, STDOUT, STREAM_BYTES)
    if (!isOut && !isSame(end, STDERR, STREAM_BYTES)) return begin
    const text = end + STREAM_BYTES
    const stop = endOfText(text)
    if (load<u8>(stop) != 0x0a) return begin
    store<u8>(start + INSTANT_BYTES, 0x20)
    const feed = copy(text, stop - text, start + INSTANT_BYTES + 1)
    store<u8>(feed, 0x0a)
    columns.add(start, feed, isOut ? 1 : 2)
    begin = stop + 1
  }
  return begin
}
