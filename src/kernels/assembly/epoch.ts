/** Seconds since 1970, in base 36: thousands of lines bear the same one, and the last is remembered. */
import { writeBase36 } from "./base36"
import { copy, isSame } from "./bytes"
import { secondsAt } from "./calendar"
import { SECOND_BYTES } from "./stamp"

const second = memory.data(24)
const digits = memory.data(16)
/** 0: no second is known yet. */
let digitBytes: usize = 0

/** Of the instant that stands at `at`. Where the digits end. */
export function writeEpochSeconds(at: usize, to: usize): usize {
  if (digitBytes == 0 || !isSame(at, second, SECOND_BYTES)) {
    copy(at, SECOND_BYTES, second)
    digitBytes = writeBase36(secondsAt(at), digits) - digits
  }
  return copy(digits, digitBytes, to)
}
