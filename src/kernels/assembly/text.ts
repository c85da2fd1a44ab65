/** Texts that are plain: of valid UTF-8, and without any control character but tab. */
import { copy, copyAscii, endOfAscii } from "./bytes"
import { wideBytes } from "./utf8"

const TAB: u8 = 0x09

/** Where a text that begins at `from` stops to be plain: mostly at its line feed. */
export function endOfText(from: usize): usize {
  let at = endOfAscii(from)
  for (;;) {
    const byte = load<u8>(at)
    const bytes: usize = byte == TAB ? 1 : byte >= 0x80 ? wideBytes(at) : 0
    if (bytes == 0) break
    at = endOfAscii(at + bytes)
  }
  return at
}

/** Copies that; how many bytes. */
export function copyText(from: usize, to: usize): usize {
  let done = copyAscii(from, to)
  for (;;) {
    const byte = load<u8>(from + done)
    const bytes: usize = byte == TAB ? 1 : byte >= 0x80 ? wideBytes(from + done) : 0
    if (bytes == 0) break
    copy(from + done, bytes, to + done)
    done += bytes
    done += copyAscii(from + done, to + done)
  }
  return done
}
