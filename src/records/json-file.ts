/**
 * Docker's and nerdctl's json-file: `{"log":"text\n","stream":"stdout","attrs":{…},"time":"2026-…Z"}`, a record
 * a line. Taken apart by its landmarks where it looks as the engines write it, and as JSON where it does not.
 */
import type { Instant } from "../time.ts"
import { parseInstant } from "./instant.ts"
import type { LogRecord } from "./record.ts"

const HEAD = '{"log":"'
const TAIL = '"}'
const FEED = "\\n"
/** Cannot stand inside the text: there, each quotation mark has a backslash before it. */
const STREAM = '","stream":"'
const TIME = ',"time":"'
const STDOUT = `${STREAM}stdout"${TIME}`
const STDERR = `${STREAM}stderr"${TIME}`

/** A record's line: of `text`, one char a byte, what stands from `from` to its line feed. `undefined`: it is no record. */
export function parseJsonFile(text: string, from: number, to: number): LogRecord | undefined {
  // Most lines have no escape but the line feed at their end. Nothing is looked for behind `to`: it may be far.
  if (text.startsWith(HEAD, from) && text.endsWith(TAIL, to)) {
    const begin = from + HEAD.length
    const end = text.indexOf('"', begin)
    const feed = end - 2
    if (feed >= begin && text.startsWith(FEED, feed) && text.indexOf("\\", begin) === feed) {
      const isOut = text.startsWith(STDOUT, end)
      if (isOut || text.startsWith(STDERR, end)) {
        const timestamp = parseInstant(text, end + STDOUT.length, to - TAIL.length)
        const stream = isOut ? "stdout" : "stderr"
        if (timestamp) return { stream, timestamp, text: text.slice(begin, feed), ended: true }
      }
    }
  }
  return parseEscaped(text.slice(from, to))
}

function parseEscaped(raw: string): LogRecord | undefined {
  const stream = raw.startsWith(HEAD) ? raw.indexOf(STREAM, HEAD.length) : -1
  const time = stream < 0 ? -1 : raw.lastIndexOf(TIME)
  // A second head: a record was torn, as the engine was killed, and the next one written right behind it.
  const isTorn = raw.includes(HEAD, 1)
  if (time < stream || isTorn || !raw.endsWith(TAIL)) return parseAny(raw)
  const name = raw.slice(stream + STREAM.length, raw.indexOf('"', stream + STREAM.length))
  const timestamp = parseInstant(raw, time + TIME.length, raw.length - TAIL.length)
  if (!timestamp || (name !== "stdout" && name !== "stderr")) return parseAny(raw)
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
  const timestamp = parseInstant(time, 0, time.length)
  const bytes = Buffer.from(log, "utf8").toString("latin1")
  return timestamp && toRecord(bytes, stream, timestamp)
}
