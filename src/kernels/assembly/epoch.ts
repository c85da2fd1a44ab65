/** Seconds since 1970, in base 36: thousands of lines bear the same one, and the last is remembered. */
import { writeBase36 } from "./base36"
import { copy, isSame } from "./bytes"
import { SECOND_BYTES } from "./stamp"

const second = memory.data(24)
const digits = memory.data(16)
/** 0: no second is known yet. */
let digitBytes: usize = 0

/** Of the instant that stands at `at`. Where the digits end. */
export function writeEpochSeconds(at: usize, to: usize): usize {
  if (digitBytes == 0 || !isSame(at, second, SECOND_BYTES)) {
    copy(at, SECOND_BYTES, second)
    digitBytes = writeBase36<u64>(epochSeconds(at), digits) - digits
  }
  return copy(digits, digitBytes, to)
}

function epochSeconds(at: usize): u64 {
  const minutes = twoDigits(at + 11) * 60 + twoDigits(at + 14)
  return (daysSince1970(at) * 1_440 + minutes) * 60 + twoDigits(at + 17)
}

/** In the Gregorian calendar, whose 400 years have as many days each time. Years are taken to begin with March. */
function daysSince1970(at: usize): u64 {
  const month = twoDigits(at + 5)
  const isOld = month < 3
  const year = twoDigits(at) * 100 + twoDigits(at + 2) - (isOld ? 1 : 0)
  const ofEra = year % 400
  const monthsSinceMarch = isOld ? month + 9 : month - 3
  const ofYear = (153 * monthsSinceMarch + 2) / 5 + twoDigits(at + 8) - 1
  const leapDays = ofEra / 4 - ofEra / 100
  return (year / 400) * 146_097 + ofEra * 365 + leapDays + ofYear - 719_468
}

function twoDigits(at: usize): u64 {
  return (<u64>load<u8>(at) - 0x30) * 10 + load<u8>(at, 1) - 0x30
}
