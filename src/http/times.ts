/** A point in time in a client's words. */
import {
  type Instant,
  parseDuration,
  parseRfc3339,
  parseUnixSeconds,
  shift,
  toNanoseconds,
} from "../time.ts"
import { invalid } from "./words.ts"

const ALLOWED = [
  "2026-08-20T12:34:56.123456789Z",
  "2026-08-20T14:34:56+02:00",
  "1787229296.123456789 (Unix seconds)",
  "90s, 10m, 1h30m, 2d (so long ago)",
]

/** Throws `invalid_parameter` for whatever does not say exactly one instant from 1970 to 9999. */
export function readTime(name: string, word: string, now: Instant): Instant {
  // In a URL an unescaped `+` says a blank: 12:00:00+02:00 arrives as 12:00:00 02:00.
  const text = word.replace(/ (\d\d:\d\d)$/, "+$1")
  const instant = parseRfc3339(text) ?? parseUnixSeconds(text) ?? readAgo(text, now)
  if (instant !== undefined) return instant
  if (/^\d{4}-\d\d-\d\d(?:[Tt ][\d:.]*)?$/.test(text)) {
    throw invalid(
      name,
      "has no time zone: end it with Z, or with an offset such as +02:00",
      ALLOWED,
    )
  }
  throw invalid(name, "is not a time from 1970 to 9999 in a form that is known here", ALLOWED)
}

function readAgo(text: string, now: Instant): Instant | undefined {
  const ago = parseDuration(text)
  return ago === undefined || ago > toNanoseconds(now) ? undefined : shift(now, -ago)
}
