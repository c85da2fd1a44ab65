/**
 * Podman's k8s-file and CRI's log files: `2026-08-20T12:34:56.123456789+02:00 stdout F text`, a record a line.
 * `P`: the line goes on in a later record of the stream, which bears its own time.
 */
import { parseInstant } from "./instant.ts"
import type { LogRecord } from "./record.ts"

/** A time, a stream and a flag, to which some writers add tags. */
const LONGEST_HEAD = 128

/** A record's line: of `text`, one char a byte, what stands from `from` to its line feed. `undefined`: it is no record. */
export function parseCri(text: string, from: number, to: number): LogRecord | undefined {
  // Nothing is looked for further on: what is no record may be long.
  const head = text.slice(from, Math.min(to, from + LONGEST_HEAD))
  const stream = head.indexOf(" ") + 1
  const flag = stream + STDOUT.length
  const begin = head.indexOf(" ", flag) + 1
  const isOut = head.startsWith(STDOUT, stream)
  const isEnd = head.startsWith("F", flag)
  if (begin === 0 || !(isOut || head.startsWith(STDERR, stream))) return undefined
  const timestamp = parseInstant(head, 0, stream - 1)
  if (!timestamp || !(isEnd || head.startsWith("P", flag))) return undefined
  const name = isOut ? "stdout" : "stderr"
  return { stream: name, timestamp, text: text.slice(from + begin, to), ended: isEnd }
}

const STDOUT = "stdout "
const STDERR = "stderr "
