/**
 * How much is read at once of a log that is there already. What was read waits for its client, which may read
 * nothing for hours: so the more logs are read at once, the less of each, and all of it fits into a small service.
 */

/** Of all of them, about; what is made of the bytes takes two or three times as much. */
const TOTAL_BYTES = 8_388_608

/** Of one: more is hardly faster, and with less each read is felt. */
const MOST_BYTES = 262_144
const LEAST_BYTES = 8_192

let reading = 0

/** One more log is read, until the returned function is called. */
export function beginReading(): () => void {
  reading++
  return () => void reading--
}

/** For the next read of each: if there are few, `most`. */
export function bytesAtOnce(most = MOST_BYTES): number {
  const share = Math.floor(TOTAL_BYTES / Math.max(1, reading))
  return Math.min(most, Math.max(LEAST_BYTES, share))
}
