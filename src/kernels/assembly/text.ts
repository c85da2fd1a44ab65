/** Texts that are plain: of valid UTF-8, and without any control character but tab. */
import { bytesBefore, stopsOfAscii } from "./bytes"
import { wideBytes } from "./utf8"

const TAB: u8 = 0x09

/** Where a text that begins at `from` stops to be plain: mostly at its line feed. */
export function endOfText(from: usize): usize {
  let at = from
  for (;;) {
    const stops = stopsOfAscii(load<u64>(at))
    if (stops == 0) {
      at += 8
      continue
    }
    at += bytesBefore(stops)
    const byte = load<u8>(at)
    const bytes: usize = byte == TAB ? 1 : byte >= 0x80 ? wideBytes(at) : 0
    if (bytes == 0) break
    at += bytes
  }
  return at
}
