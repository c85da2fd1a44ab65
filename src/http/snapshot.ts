/** `GET /api/apps/{app}/logs`: what there is, up to now. */
import { LinkedAbort } from "../abort.ts"
import { ANSI } from "../disarm.ts"
import { Scratch } from "../scratch.ts"
import type { Encoded } from "../stream/chunk.ts"
import type { MemberLine, Snapshot } from "../stream/service.ts"
import { Packed } from "../stream/some.ts"
import { now } from "../time.ts"
import { negotiate } from "./accept.ts"
import { encodeBlock } from "./block.ts"
import { streamBody } from "./body.ts"
import type { RouteDeps } from "./deps.ts"
import { reportFailure } from "./failure.ts"
import { findApp } from "./find.ts"
import { encodeNdjsonLine, NDJSON_TYPE } from "./ndjson.ts"
import type { Places } from "./places.ts"
import { readSnapshotQuery, readVerbose, SnapshotWords } from "./query.ts"
import { reply, replyStream } from "./reply.ts"
import { createTextRow } from "./text.ts"
import { ignoredHeader, readOneOf, readWords, type Words } from "./words.ts"

export const SNAPSHOT_TYPES = {
  text: "text/plain",
  json: "application/json",
  ndjson: NDJSON_TYPE,
} as const

type Format = keyof typeof SNAPSHOT_TYPES

/** Everything is checked, and the first lines are read, before the first byte: a failure is an answer. */
export async function answerSnapshot(
  deps: RouteDeps,
  places: Places,
  request: Request,
  id: string,
): Promise<Response> {
  const words = readWords(request, Object.keys(SnapshotWords.properties))
  const format = negotiate(SNAPSHOT_TYPES, words.get("format"), request.headers.get("Accept"))
  const query = readSnapshotQuery(words, { now: now(), maxTail: deps.limits.tail })
  const createForm = readForm(format, words)
  const leavePlace = places.takeSnapshot()
  const done = new LinkedAbort(request.signal)
  const { signal } = done
  const close = () => {
    leavePlace()
    done.abort()
  }
  try {
    const app = await findApp(deps.view(request), id, query.service, signal)
    const snapshot = await deps.service.snapshot(app, query, signal)
    const type =
      format === "text" ? `${SNAPSHOT_TYPES.text}; charset=utf-8` : SNAPSHOT_TYPES[format]
    const headers = {
      ...ignoredHeader(words),
      "Applogs-Cursor": snapshot.cursor,
      "Applogs-Truncated": String(snapshot.truncated),
    }
    if (request.method === "HEAD") {
      close()
      return reply(null, type, headers)
    }
    const { first: opening, encode, inJson, last = "" } = createForm(snapshot)
    const source = encodeBlocks(snapshot.lines, encode, inJson)
    const begun = await source.next()
    const body = streamBody({
      ...(opening !== undefined && { first: opening }),
      encode,
      last(error) {
        if (error === undefined) return last
        reportFailure(error, crypto.randomUUID(), deps.observe)
        return ""
      },
      source,
      begun,
      signal: request.signal,
      onChunk: (lines, bytes) => deps.observe.sent(lines, bytes),
      onClose: close,
    })
    return replyStream(body, type, headers)
  } catch (error) {
    close()
    throw error
  }
}

/** How lines are written, and what stands around them. */
interface Form {
  readonly first?: string
  readonly encode: (line: MemberLine) => string
  /** Whether a message stands in a string of JSON. */
  readonly inJson: boolean
  readonly last?: string
}

/** Lines as they come, but blocks as what is made of them. */
async function* encodeBlocks(
  lines: Snapshot["lines"],
  encode: Form["encode"],
  inJson: boolean,
): AsyncGenerator<readonly MemberLine[] | Encoded, void> {
  const scratch = new Scratch()
  for await (const some of lines) {
    if (some instanceof Packed) {
      const { member, block } = some
      const bytes = encodeBlock(block, (line) => encode({ member, line }), inJson, scratch)
      yield { bytes, lines: block.length }
    } else yield some
  }
}

/** Understands the words at once; what it returns waits for the snapshot. */
function readForm(format: Format, words: Words): (snapshot: Snapshot) => Form {
  const verbose = readVerbose(words)
  const ansi = readOneOf("ansi", words.get("ansi") ?? "keep", ANSI)
  return (snapshot) => {
    if (format === "ndjson")
      return { encode: (line) => encodeNdjsonLine(line, verbose), inJson: true }
    const services = snapshot.members.map((member) => member.service)
    const row = createTextRow(services, ansi)
    if (format === "text") return { encode: row, inJson: false }
    const { cursor, truncated } = snapshot
    return {
      // One string of JSON, a piece at a time.
      first: '{"logs":"',
      encode: (line) => JSON.stringify(row(line)).slice(1, -1),
      inJson: true,
      last: `",${JSON.stringify({ cursor, truncated }).slice(1)}`,
    }
  }
}
