/** A line of a program's own log file, that no engine wrote: its text, whole, and a time if one stands at its head. */
import type { Instant } from "../time.ts"
import { parseInstant } from "./instant.ts"
import type { LogRecord } from "./record.ts"

/** RFC 3339 with a zone, perhaps in brackets: no other form tells one instant and no other. */
const HEAD = /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))(?![\w:.])/

/** The time that the line says of itself. */
export function readLineTime(line: string): Instant | undefined {
  const time = HEAD.exec(line)?.[1]
  return time === undefined ? undefined : parseInstant(time, 0, time.length)
}

/** One char a byte, without the line feed. */
export function toPlainRecord(line: string, timestamp: Instant): LogRecord {
  return { stream: "stdout", timestamp, text: line, ended: true }
}
