/** Numbers in base 36, as `toString(36)` has them, without a string. */

const DIGITS = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz")

/** 36³: a number of 32 bits has up to four digits before these three. */
const THREE_DIGITS = 46_656

/** An unsigned number of 32 bits; where it ends. Halves of it are small integers, and quick to divide. */
export function writeBase36(value: number, into: Uint8Array, at: number): number {
  const high = (value / THREE_DIGITS) | 0
  const low = (value - high * THREE_DIGITS) | 0
  return high === 0
    ? writeDigits(low, digitsOf(low), into, at)
    : writeDigits(low, 3, into, writeDigits(high, digitsOf(high), into, at))
}

function digitsOf(value: number): number {
  return value < 36 ? 1 : value < 1_296 ? 2 : value < THREE_DIGITS ? 3 : 4
}

function writeDigits(value: number, count: number, into: Uint8Array, at: number): number {
  let rest = value
  for (let digit = at + count - 1; digit >= at; digit--) {
    const next = (rest / 36) | 0
    into[digit] = DIGITS[rest - next * 36] as number
    rest = next
  }
  return at + count
}
