/** Times, of which thousands bear one second: the last second is known in full, and only fractions differ. */
import { copy, isSame } from "./bytes"
import { secondsAt, twoDigits, writeSecond } from "./calendar"

/** `2026-08-20T12:34:56`. */
export const SECOND_BYTES: usize = 19
/** With a point, nine digits and a `Z`. */
export const INSTANT_BYTES: usize = 30

/** `9999-12-31T23:59:59`: behind it, there is no instant. */
const LAST_SECOND: i64 = 253_402_300_799

const ZERO: u8 = 0x30
const ZEROS: u64 = 0x3030303030303030
const POINT: u8 = 0x2e
const COLON: u8 = 0x3a
const PLUS: u8 = 0x2b
const MINUS: u8 = 0x2d
const Z: u8 = 0x5a

/** The last second: as it was written, in UTC, and the zone it was written in. */
const second = memory.data(24)
const utc = memory.data(24)
let zone: u64 = 0
/** 0: no second is known yet. */
let zoneBytes: usize = 0

/** Writes the time that stands at `from` to `to`, as an instant. Where it ends; 0: it is none, or not written so. */
export function takeTime(from: usize, to: usize): usize {
  const end = takeKnown(from, to)
  return end == 0 && learn(from) ? takeKnown(from, to) : end
}

/** Whether an instant stands there, as it is. */
export function isInstant(at: usize): bool {
  if (!isSecond(at, utc) && !(learn(at) && isSecond(at, utc))) return false
  const fraction = at + SECOND_BYTES + 1
  const isFull = digitsOf(fraction) == 9 && load<u8>(fraction + 9) == Z
  return isFull && load<u8>(at + SECOND_BYTES) == POINT
}

/** Of the last second. */
function takeKnown(from: usize, to: usize): usize {
  if (!isSecond(from, second)) return 0
  const end = from + SECOND_BYTES
  const digits = load<u8>(end) == POINT ? digitsOf(end + 1) : 0
  const zoneAt = digits == 0 ? end : end + 1 + digits
  if ((load<u64>(zoneAt) & maskOf(zoneBytes)) != zone) return 0
  copy(utc, SECOND_BYTES, to)
  store<u8>(to + SECOND_BYTES, POINT)
  const fraction = to + SECOND_BYTES + 1
  store<u64>(fraction, ZEROS)
  store<u8>(fraction + 8, ZERO)
  store<u8>(fraction + 9, Z)
  for (let index: usize = 0; index < digits; index++) {
    store<u8>(fraction + index, load<u8>(end + 1 + index))
  }
  return zoneAt + zoneBytes
}

function isSecond(at: usize, known: usize): bool {
  return zoneBytes > 0 && isSame(at, known, SECOND_BYTES)
}

/** Takes the second that stands there for the last one. False: it is none, or no instant. */
function learn(at: usize): bool {
  const local = secondsAt(at)
  if (local < 0 || local > LAST_SECOND) return false
  writeSecond(local, utc)
  // Days and times that there are not have come out as others.
  zoneBytes = isSame(at, utc, SECOND_BYTES) ? learnZone(at + SECOND_BYTES, local) : 0
  copy(at, SECOND_BYTES, second)
  return zoneBytes > 0
}

/** The zone behind a fraction. How many bytes it takes; 0: it is none. */
function learnZone(from: usize, local: i64): usize {
  const at = load<u8>(from) == POINT ? from + 1 + digitsOf(from + 1) : from
  const sign = load<u8>(at)
  const bytes: usize = sign == Z ? 1 : 6
  zone = load<u64>(at) & maskOf(bytes)
  if (sign == Z) return bytes
  const hours = twoDigits(at + 1)
  const minutes = twoDigits(at + 4)
  const isZone = (sign == PLUS || sign == MINUS) && areTwo(at + 1) && areTwo(at + 4)
  if (!isZone || load<u8>(at + 3) != COLON || hours > 23 || minutes > 59) return 0
  const offset = (hours * 60 + minutes) * 60
  const seconds = sign == PLUS ? local - offset : local + offset
  if (seconds < 0 || seconds > LAST_SECOND) return 0
  writeSecond(seconds, utc)
  return bytes
}

function maskOf(bytes: usize): u64 {
  return ((<u64>1) << ((<u64>bytes) << 3)) - 1
}

/** How many stand there, up to nine. */
function digitsOf(at: usize): usize {
  let count: usize = 0
  while (count < 9 && isDigit(load<u8>(at + count))) count++
  return count
}

function areTwo(at: usize): bool {
  return isDigit(load<u8>(at)) && isDigit(load<u8>(at, 1))
}

function isDigit(byte: u8): bool {
  return <u8>(byte - ZERO) < 10
}
