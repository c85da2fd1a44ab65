/** Frames of Docker's multiplexed log body whose records are plain: a block's bytes as they are. */
import * as columns from "./columns"
import { INSTANT_BYTES, isInstant } from "./stamp"
import { endOfText } from "./text"

const HEADER_BYTES: usize = 8
/** Of a line without a text. */
const LEAST_BYTES: usize = HEADER_BYTES + INSTANT_BYTES + 2
/** All of a header but the stream, and a length under 64 KiB. */
const ZEROS: u64 = 0x0000_ffff_ffff_ff00

/** Takes frames that are whole, from `from` on and up to `to`. Where it stopped. */
export function takeFrames(from: usize, to: usize): usize {
  let begin = from
  while (begin + LEAST_BYTES <= to && !columns.isFull()) {
    const header = load<u64>(begin)
    const stream = <u8>header
    if ((stream != 1 && stream != 2) || (header & ZEROS) != 0) return begin
    const start = begin + HEADER_BYTES
    const end = start + bswap<u16>(<u16>(header >> 48))
    if (end > to) return begin
    if (load<u8>(start + INSTANT_BYTES) != 0x20 || !isInstant(start)) return begin
    const feed = endOfText(start + INSTANT_BYTES + 1)
    if (feed != end - 1 || load<u8>(feed) != 0x0a) return begin
    columns.add(start, feed, stream)
    begin = end
  }
  return begin
}
