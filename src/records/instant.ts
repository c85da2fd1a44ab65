/** Times at the head or the end of a record in a log file: thousands of them, and most of one second. */
import { type Instant, parseRfc3339 } from "../time.ts"

const FRACTION = /^\d{1,9}$/

/** The last second that was read in full, its zone, and the same second in UTC: only fractions differ. */
let known = { second: "", zone: "", utc: "" }

/** RFC 3339 with a zone, zeros at the fraction's end left away or not; `undefined` for anything else. */
export function parseInstant(text: string): Instant | undefined {
  const zoneAt = text.length - (text.endsWith("Z") ? 1 : 6)
  const fraction = text.slice(20, zoneAt)
  const isKnown = known.zone !== "" && text.startsWith(known.second) && text.endsWith(known.zone)
  if (isKnown && text.charCodeAt(19) === 0x2e && FRACTION.test(fraction)) {
    if (known.zone === "Z" && fraction.length === 9) return text as Instant
    return `${known.utc}.${fraction.padEnd(9, "0")}Z` as Instant
  }
  const instant = parseRfc3339(text)
  const zone = text.slice(zoneAt)
  // Of a zone written otherwise (`z`), these would be digits of the fraction.
  if (instant && /^[Z+-]/.test(zone)) {
    known = { second: text.slice(0, 19), zone, utc: instant.slice(0, 19) }
  }
  return instant
}
