/**
 * Entries of systemd's journal, as `journalctl --output=export` prints them (systemd's Journal Export Format) and conmon
 * writes them: a message is a line with its line feed, or a part of one.
 */
import { toInstant } from "../time.ts"
import { LogReadError, type LogRecord } from "./record.ts"

/** Those that are looked at; the journal adds its own. */
export const JOURNAL_FIELDS = ["MESSAGE", "PRIORITY", "CONTAINER_PARTIAL_MESSAGE"]

/** conmon writes 8 KiB at once. Without this bound a lying one could fill the memory. */
const LIMIT = 1_048_576

/** Of a value that is not text: its size, a number of 64 bits. */
const SIZE_BYTES = 8

/** syslog's `err`: what conmon says of the standard error. */
const ERROR = "3"

/** A field's value, and where the next one begins. */
interface Value {
  readonly text: string
  readonly end: number
}

export class JournalDecoder {
  /** Head of an entry whose end has not come. */
  #rest = ""

  /** `bytes`: one a char. */
  push(bytes: string, records: LogRecord[]): void {
    const text = this.#rest + bytes
    let at = 0
    for (let end = takeEntry(text, at, records); end !== undefined;) {
      at = end
      end = takeEntry(text, at, records)
    }
    this.#rest = text.slice(at)
    if (this.#rest.length > LIMIT) throw new LogReadError("a journal entry has no end")
  }
}

/** Where the entry ends that begins at `from`; `undefined`: not yet. */
function takeEntry(text: string, from: number, records: LogRecord[]): number | undefined {
  const fields = new Map<string, string>()
  for (let at = from; ;) {
    const feed = text.indexOf("\n", at)
    if (feed < 0) return undefined
    if (feed === at) {
      const record = toRecord(fields)
      if (record) records.push(record)
      return feed + 1
    }
    const line = text.slice(at, feed)
    const equals = line.indexOf("=")
    const isText = equals >= 0
    const value = isText
      ? { text: line.slice(equals + 1), end: feed + 1 }
      : readBinary(text, feed + 1)
    if (!value) return undefined
    fields.set(isText ? line.slice(0, equals) : line, value.text)
    at = value.end
  }
}

/** Its size in little endian, so many bytes, and a line feed. */
function readBinary(text: string, from: number): Value | undefined {
  const begin = from + SIZE_BYTES
  if (text.length < begin) return undefined
  const size = Number(Buffer.from(text.slice(from, begin), "latin1").readBigUInt64LE())
  if (size > LIMIT) throw new LogReadError("a journal entry is longer than any that is written")
  const end = begin + size
  return text.length > end ? { text: text.slice(begin, end), end: end + 1 } : undefined
}

/** What has no message, or no time, is nobody's line. */
function toRecord(fields: ReadonlyMap<string, string>): LogRecord | undefined {
  const message = fields.get("MESSAGE")
  const microseconds = fields.get("__REALTIME_TIMESTAMP")
  if (message === undefined || microseconds === undefined) return undefined
  const ended = fields.get("CONTAINER_PARTIAL_MESSAGE") !== "true"
  return {
    stream: fields.get("PRIORITY") === ERROR ? "stderr" : "stdout",
    timestamp: toInstant(BigInt(microseconds) * 1_000n),
    text: ended && message.endsWith("\n") ? message.slice(0, -1) : message,
    ended,
  }
}
