/** A record: one entry in a runtime's log. It holds a line, or a part of one. */
import type { StreamName } from "../runtime.ts"
import { type Instant, parseRfc3339 } from "../time.ts"

export interface LogRecord {
  readonly stream: StreamName
  readonly timestamp: Instant
  /**
   * The bytes it holds, one a char (latin-1), without a line feed. Bytes stay bytes until a line is whole:
   * runtimes cut lines inside UTF-8 sequences.
   */
  readonly text: string
  /** Whether a line feed stood behind the text. If not, the line may go on in a later record. */
  readonly ended: boolean
  /** Before it stands something in the log that cannot be read. */
  readonly damaged?: true
  /** Its container was started anew before it: what was half written then does not go on. */
  readonly opensRun?: true
}

/** The runtime said, in the log's own channel or by what it sent, that it cannot read on. */
export class LogReadError extends Error {
  override readonly name = "LogReadError"
}

/** Bytes (one a char) as text. Sequences that are not UTF-8 become U+FFFD, as WHATWG says. */
export function decodeUtf8(bytes: string): string {
  // In UTF-8, each of these characters but ASCII would take two bytes: the quickest way to tell whether there is one.
  if (Buffer.byteLength(bytes) === bytes.length) return bytes
  return Buffer.from(bytes, "latin1").toString("utf8")
}

/** How many bytes at the end (0 to 3) begin a UTF-8 sequence that is not whole. */
export function unfinishedUtf8(bytes: string): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes.charCodeAt(bytes.length - back)
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** `2026-08-20T12:34:56.123456789Z `: what Docker writes before each record. */
const STAMP = 31

/**
 * The time that stands at the head of `raw`, and where the text behind it begins.
 * Docker's form is taken as it is; any other RFC 3339 time up to a blank (Podman's) is converted.
 */
export function readStamp(raw: string): { timestamp: Instant; text: number } {
  if (raw.charCodeAt(29) === 0x5a && raw.charCodeAt(30) === 0x20 && raw.charCodeAt(19) === 0x2e) {
    return { timestamp: raw.slice(0, STAMP - 1) as Instant, text: STAMP }
  }
  const blank = raw.indexOf(" ")
  const timestamp = blank > 0 && blank < 40 ? parseRfc3339(raw.slice(0, blank)) : undefined
  if (!timestamp) throw new LogReadError("a log record does not begin with a time")
  return { timestamp, text: blank + 1 }
}
