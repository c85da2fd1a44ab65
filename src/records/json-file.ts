/**
 * Docker's and nerdctl's json-file: `{"log":"text\n","stream":"stdout","attrs":{…},"time":"2026-…Z"}`, a record
 * a line. Taken apart by its landmarks where it looks as the engines write it, and as JSON where it does not.
 */
import type { Instant } from "../time.ts"
import { parseInstant } from "./instant.ts"
import type { LogRecord } from "./record.ts"

const HEAD = '{"log":"'
/** Cannot stand inside the text: there, each quotation mark has a backslash before it. */
const STREAM = '","stream":"'
const TIME = ',"time":"'
const TAIL = '"}'

/** A record's line, one char a byte, without its line feed. `undefined`: it is no record. */
export function parseJsonFile(raw: string): LogRecord | undefined {
  const stream = raw.startsWith(HEAD) ? raw.indexOf(STREAM, HEAD.length) : -1
  const time = stream < 0 ? -1 : raw.lastIndexOf(TIME)
  if (time < stream || !raw.endsWith(TAIL)) return parseAny(raw)
  const name = raw.slice(stream + STREAM.length, raw.indexOf('"', stream + STREAM.length))
  const timestamp = parseInstant(raw.slice(time + TIME.length, -TAIL.length))
  if (!timestamp || (name !== "stdout" && name !== "stderr")) return parseAny(raw)
  const escape = raw.indexOf("\\", HEAD.length)
  if (escape < 0 || escape > stream) {
    const text = raw.slice(HEAD.length, stream)
    return { stream: name, timestamp, text, ended: false }
  }
  if (escape === stream - 2 && raw.charCodeAt(escape + 1) === 0x6e) {
    return { stream: name, timestamp, text: raw.slice(HEAD.length, escape), ended: true }
  }
  const text = unescape(raw.slice(HEAD.length - 1, stream + 1))
  return text === undefined ? undefined : toRecord(text, name, timestamp)
}

/** Escapes that are not ASCII stand for characters, and the rest of the text is bytes. */
const WIDE = /\\u(?!00[0-7])/

/** A JSON string, with its quotation marks, as bytes. */
function unescape(json: string): string | undefined {
  try {
    if (!WIDE.test(json)) return JSON.parse(json) as string
    const text = JSON.parse(Buffer.from(json, "latin1").toString("utf8")) as string
    return Buffer.from(text, "utf8").toString("latin1")
  } catch {
    return undefined
  }
}

function toRecord(log: string, stream: LogRecord["stream"], timestamp: Instant): LogRecord {
  const ended = log.endsWith("\n")
  return { stream, timestamp, text: ended ? log.slice(0, -1) : log, ended }
}

/** Fields in another order, or with blanks between them. */
function parseAny(raw: string): LogRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(raw, "latin1").toString("utf8"))
  } catch {
    return undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  const { log, stream, time } = value as Record<string, unknown>
  if (typeof log !== "string" || typeof time !== "string") return undefined
  if (stream !== "stdout" && stream !== "stderr") return undefined
  const timestamp = parseInstant(time)
  const bytes = Buffer.from(log, "utf8").toString("latin1")
  return timestamp && toRecord(bytes, stream, timestamp)
}
