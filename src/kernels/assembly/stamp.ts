/** Times, of which thousands bear one second: the last second is known in full, and only fractions differ. */
import { isSame } from "./bytes"

/** `2026-08-20T12:34:56`. */
export const SECOND_BYTES: usize = 19
/** With a point, nine digits and a `Z`. */
export const INSTANT_BYTES: usize = 30

const ZEROS: u64 = 0x3030303030303030

/** As it is written, in UTC, and the zone it is written in, up to eight bytes of each: who calls kernels fills them in. */
export const second = memory.data(24)
export const utc = memory.data(24)
export const zone = memory.data(8)
/** Of the zone; 0: no second is known yet. */
export let zoneBytes: usize = 0
/** Where a time stands that is not of the known second: who calls may read it, and go on. */
export let asked: usize = 0

export function know(bytes: usize): void {
  zoneBytes = bytes
  asked = 0
}

/** Writes the time that stands at `from` to `to`, as an instant. Where it ends; 0: it is none, or has to be asked for. */
export function takeTime(from: usize, to: usize): usize {
  if (!isKnown(from, second)) return 0
  let at = from + SECOND_BYTES
  for (let index: usize = 0; index < 24; index += 8) store<u64>(to + index, load<u64>(utc + index))
  store<u8>(to + SECOND_BYTES, 0x2e)
  const fraction = to + SECOND_BYTES + 1
  store<u64>(fraction, ZEROS)
  store<u16>(fraction + 8, 0x5a30)
  if (load<u8>(at) == 0x2e) {
    const digits = digitsAt(++at, fraction)
    if (digits == 0) return 0
    at += digits
  }
  const mask: u64 = ((<u64>1) << ((<u64>zoneBytes) << 3)) - 1
  if ((load<u64>(at) & mask) == load<u64>(zone)) return at + zoneBytes
  asked = from
  return 0
}

/** Whether an instant of the known second stands there, as it is. */
export function isInstant(at: usize): bool {
  if (!isKnown(at, utc) || load<u8>(at + SECOND_BYTES) != 0x2e) return false
  const fraction = at + SECOND_BYTES + 1
  for (let digit = fraction; digit < fraction + 9; digit++)
    if (!isDigit(load<u8>(digit))) return false
  return load<u8>(fraction + 9) == 0x5a
}

function isKnown(at: usize, known: usize): bool {
  if (zoneBytes > 0 && isSame(at, known, SECOND_BYTES)) return true
  asked = at
  return false
}

/** Copies up to nine digits; how many there were. */
function digitsAt(from: usize, to: usize): usize {
  let count: usize = 0
  for (; count < 9; count++) {
    const digit = load<u8>(from + count)
    if (!isDigit(digit)) break
    store<u8>(to + count, digit)
  }
  return count
}

function isDigit(byte: u8): bool {
  return <u8>(byte - 0x30) < 10
}
