/**
 * The words of a request → what is asked of an app's logs. Strict: a value outside the contract is
 * refused by name, so that nobody takes an answer to another question for theirs.
 */
import { Type } from "@sinclair/typebox"
import { CURSOR_LIMIT, parseCursor } from "../stream/cursor.ts"
import type { LogQuery } from "../stream/query.ts"
import { type Instant, toInstant } from "../time.ts"
import { readTime } from "./times.ts"
import { invalid, readBoolean, readOneOf, type Words } from "./words.ts"

const word = (description: string) => Type.Optional(Type.String({ description }))

const SHARED = {
  service: word("One service only"),
  stream: word("stdout or stderr"),
  grep: word("Only lines that contain this text"),
  includeNeeds: word("true, false, or a list of kinds of needs services (postgres,redis)"),
  since: word(
    "Only lines after this time: RFC 3339 with a zone, Unix seconds, or a duration (10m)",
  ),
  format: word("Wins over the Accept header"),
  verbose: word("true: name each line's container"),
}

export const SnapshotWords = Type.Object({
  ...SHARED,
  tail: word("The last so many lines, 100 if not given; or all"),
  until: word("Only lines up to this time"),
  ansi: word("In text, colours are kept; strip: drop them; raw: pass every control byte"),
})

export const StreamWords = Type.Object({
  ...SHARED,
  tail: word("Begin with the last so many lines, or with all"),
  cursor: word("Go on behind this position; wins over since, which wins over tail"),
  lastEventId: word("As the header Last-Event-ID, which wins"),
  last_event_id: word("As the header Last-Event-ID, which wins"),
})

const DEFAULT_TAIL = 100
/** All lines are later: which says of a stream what `tail=all` does, and stays true on a reconnect. */
const BEGINNING = toInstant(0n)
const GREP_LIMIT = 1024
const KINDS_LIMIT = 32

/** What a client may ask for at most, and when it asks. */
interface Bounds {
  readonly now: Instant
  /** The most lines that `tail` may ask for by number. */
  readonly maxTail: number
}

export function readSnapshotQuery(words: Words, bounds: Bounds): LogQuery {
  const since = readOptionalTime("since", words, bounds)
  const until = readOptionalTime("until", words, bounds)
  return {
    ...readFilter(words, true),
    tail: readTail(words, bounds) ?? DEFAULT_TAIL,
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

export function readStreamQuery(words: Words, lastEventId: string, bounds: Bounds): LogQuery {
  // Everything is looked at, also what loses: a mistake must not hide until the first reconnect.
  const filter = readFilter(words, false)
  const cursor = readCursor(words, lastEventId)
  const since = readOptionalTime("since", words, bounds)
  const tail = readTail(words, bounds)
  if (cursor !== undefined && cursor !== "malformed") return { ...filter, cursor }
  const start = since ?? (tail === "all" ? BEGINNING : undefined)
  const from = start !== undefined ? { since: start } : tail !== undefined ? { tail } : {}
  return { ...filter, ...from, ...(cursor !== undefined && { cursor }) }
}

/** What a browser, or a library that stands in for one, says on a reconnect; else empty. */
export function readLastEventId(request: Request, words: Words): string {
  return (
    request.headers.get("Last-Event-ID") ||
    words.get("lastEventId") ||
    words.get("last_event_id") ||
    ""
  )
}

export function readVerbose(words: Words): boolean {
  const verbose = readBoolean(words.get("verbose") ?? "false")
  if (verbose === undefined) throw invalid("verbose", "must be true or false", ["true", "false"])
  return verbose
}

function readFilter(words: Words, needsByDefault: boolean): LogQuery {
  const service = words.get("service")
  if (service === "") throw invalid("service", "is empty: leave it out to get all services")
  const stream = words.get("stream")
  const grep = words.get("grep")
  if (grep !== undefined && grep.length > GREP_LIMIT) {
    throw invalid("grep", `is longer than ${GREP_LIMIT} characters`)
  }
  const needs = words.get("includeNeeds")
  return {
    // Who asks for a service by its name wants it, whatever it is.
    includeNeeds: needs === undefined ? needsByDefault || service !== undefined : readNeeds(needs),
    ...(service !== undefined && { service }),
    ...(stream !== undefined && { stream: readOneOf("stream", stream, ["stdout", "stderr"]) }),
    ...(grep && { grep }),
  }
}

function readNeeds(text: string): boolean | ReadonlySet<string> {
  const all = readBoolean(text)
  if (all !== undefined) return all
  const kinds = text.split(",").map((kind) => kind.trim())
  const known = kinds.length <= KINDS_LIMIT && kinds.every((kind) => /^[\w.-]{1,64}$/.test(kind))
  if (known) return new Set(kinds)
  throw invalid("includeNeeds", "must be true, false, or a list of kinds such as postgres,redis")
}

function readTail(words: Words, { maxTail }: Bounds): number | "all" | undefined {
  const text = words.get("tail")
  if (text === undefined || text === "all") return text
  const tail = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  if (tail <= maxTail) return tail
  throw invalid("tail", `must be a whole number from 0 to ${maxTail}, or all`, [
    `0…${maxTail}`,
    "all",
  ])
}

function readOptionalTime(name: string, words: Words, { now }: Bounds): Instant | undefined {
  const text = words.get(name)
  return text === undefined ? undefined : readTime(name, text, now)
}

function readCursor(words: Words, lastEventId: string): LogQuery["cursor"] {
  const explicit = words.get("cursor")
  const cursor = explicit === undefined ? undefined : parseCursor(explicit)
  if (explicit !== undefined && cursor === undefined) {
    throw invalid("cursor", `is none that was handed out here (at most ${CURSOR_LIMIT} characters)`)
  }
  // A browser that is answered 400 never comes back: what it says may be wrong.
  return lastEventId === "" ? cursor : (parseCursor(lastEventId) ?? "malformed")
}
