/** Bytes, eight at a time. Reads and writes go up to seven bytes too far: there has to be memory behind all that is given. */

const EACH: u64 = 0x0101010101010101
const TOP: u64 = 0x8080808080808080

/** For all literals. */
const literals = memory.data(256)
let literalsEnd = literals

/** Some ASCII of this program's own, as bytes: the compiler has it as UTF-16. */
export function literal(text: string): usize {
  const bytes = literalsEnd
  for (let index = 0; index < text.length; index++) {
    store<u8>(literalsEnd++, load<u8>(changetype<usize>(text) + (index << 1)))
  }
  return bytes
}

/** Whether the same bytes stand in both places: eight of them, or more. */
export function isSame(at: usize, other: usize, length: usize): bool {
  const last = length - 8
  for (let index: usize = 0; index < last; index += 8) {
    if (load<u64>(at + index) != load<u64>(other + index)) return false
  }
  return load<u64>(at + last) == load<u64>(other + last)
}

/** Where the copy ends. */
export function copy(from: usize, length: usize, to: usize): usize {
  for (let index: usize = 0; index < length; index += 8) {
    store<u64>(to + index, load<u64>(from + index))
  }
  return to + length
}

/** The first control character from `from` on, or byte that is no ASCII. */
export function endOfAscii(from: usize): usize {
  let at = from
  let stops = stopsOfAscii(load<u64>(at))
  while (stops == 0) stops = stopsOfAscii(load<u64>((at += 8)))
  return at + bytesBefore(stops)
}

/** Copies what stands before that; how many bytes. */
export function copyAscii(from: usize, to: usize): usize {
  let done: usize = 0
  let stops: u64 = 0
  for (; ; done += 8) {
    const word = load<u64>(from + done)
    store<u64>(to + done, word)
    stops = stopsOfAscii(word)
    if (stops != 0) break
  }
  return done + bytesBefore(stops)
}

/** Likewise, up to a control character, quote or backslash. */
export function copyJson(from: usize, to: usize): usize {
  let done: usize = 0
  let stops: u64 = 0
  for (; ; done += 8) {
    const word = load<u64>(from + done)
    store<u64>(to + done, word)
    stops = stopsOfJson(word)
    if (stops != 0) break
  }
  return done + bytesBefore(stops)
}

/** Likewise, up to the first of all of these. */
export function copyAsciiJson(from: usize, to: usize): usize {
  let done: usize = 0
  let stops: u64 = 0
  for (; ; done += 8) {
    const word = load<u64>(from + done)
    store<u64>(to + done, word)
    stops = stopsOfAscii(word) | stopsOfJson(word)
    if (stops != 0) break
  }
  return done + bytesBefore(stops)
}

/** In eight bytes, the top bits of those that are looked for, as far as the first of them. */
function stopsOfJson(word: u64): u64 {
  return (controls(word) | equal(word, 0x22) | equal(word, 0x5c)) & TOP
}

function stopsOfAscii(word: u64): u64 {
  return (controls(word) | equal(word, 0x7f) | word) & TOP
}

function bytesBefore(stops: u64): usize {
  return <usize>(ctz(stops) >> 3)
}

/** Bytes under 0x20 have their top bit set; only above the first such one others may, too. */
function controls(word: u64): u64 {
  return (word - 0x20 * EACH) & ~word
}

/** Likewise those that are `byte`. */
function equal(word: u64, byte: u64): u64 {
  const differing = word ^ (byte * EACH)
  return (differing - EACH) & ~differing
}
