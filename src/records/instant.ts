/** Times at the head or the end of a record in a log file: thousands of them, and most of one second. */
import { type Instant, parseRfc3339 } from "../time.ts"

/** The last second that was read in full, its zone, and the same second in UTC: only fractions differ. */
let known = { second: "", zone: "", utc: "" }

/**
 * What stands in `text` from `from` to `to`: RFC 3339 with a zone, zeros at the fraction's end left away or not;
 * `undefined` for anything else.
 */
export function parseInstant(text: string, from: number, to: number): Instant | undefined {
  const { second, zone, utc } = known
  const zoneAt = to - zone.length
  const isKnown = zone !== "" && text.startsWith(second, from) && text.startsWith(zone, zoneAt)
  if (isKnown && isFraction(text, from + second.length, zoneAt)) {
    // A blank may stand where the `T` does.
    if (zone === "Z" && second === utc && to - from === 30) return text.slice(from, to) as Instant
    return `${utc}${text.slice(from + second.length, zoneAt).padEnd(10, "0")}Z` as Instant
  }
  const read = text.slice(from, to)
  const instant = parseRfc3339(read)
  const readZone = read.slice(read.endsWith("Z") ? -1 : -6)
  // Of a zone written otherwise (`z`), these would be digits of the fraction.
  if (instant && /^[Z+-]/.test(readZone)) {
    known = { second: read.slice(0, 19), zone: readZone, utc: instant.slice(0, 19) }
  }
  return instant
}

/** A point and one to nine digits, and nothing else. */
function isFraction(text: string, from: number, to: number): boolean {
  if (to - from < 2 || to - from > 10 || text.charCodeAt(from) !== 0x2e) return false
  for (let at = from + 1; at < to; at++) {
    const digit = text.charCodeAt(at)
    if (digit < 0x30 || digit > 0x39) return false
  }
  return true
}
