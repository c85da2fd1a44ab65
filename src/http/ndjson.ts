/** NDJSON: a LogLine a line, and each other event as an object that has a field `event`. */
import type { StreamEvent } from "../stream/events.ts"
import type { MemberLine } from "../stream/service.ts"
import { toData, toLogLine } from "./line.ts"

export const NDJSON_TYPE = "application/x-ndjson"

/**
 * Said at once, as the server holds the headers back until there is a byte of the body. A blank before
 * the first object is no line of its own, and means nothing in JSON.
 */
export const NDJSON_HELLO = " "

export function encodeNdjsonLine(line: MemberLine, verbose: boolean): string {
  return `${JSON.stringify(toLogLine(line, verbose))}\n`
}

export function encodeNdjson(event: StreamEvent, verbose: boolean): string {
  const data = toData(event, verbose)
  const { type, cursor } = event
  if (type !== "log") return `${JSON.stringify({ event: type, cursor: cursor || null, ...data })}\n`
  return `${JSON.stringify(verbose ? { ...data, cursor } : data)}\n`
}
