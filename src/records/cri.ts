/**
 * Podman's k8s-file and CRI's log files: `2026-08-20T12:34:56.123456789+02:00 stdout F text`, a record a line.
 * `P`: the line goes on in a later record of the stream, which bears its own time.
 */
import { parseInstant } from "./instant.ts"
import type { LogRecord } from "./record.ts"

const HEAD = /^(\S{20,40}) (stdout|stderr) ([FP])[^ ]* /

/** A record's line, one char a byte, without its line feed. `undefined`: it is no record. */
export function parseCri(raw: string): LogRecord | undefined {
  const match = HEAD.exec(raw)
  if (!match) return undefined
  const [head, time = "", stream, flag] = match
  const timestamp = parseInstant(time)
  if (!timestamp) return undefined
  const text = raw.slice(head.length)
  return { stream: stream as LogRecord["stream"], timestamp, text, ended: flag === "F" }
}
