/** `GET /api/apps/{app}/logs/stream`: what there is from some point on, and then what comes. */
import type { App } from "../apps/app.ts"
import { Failure } from "../errors.ts"
import type { Form } from "../stream/chunk.ts"
import type { StreamEvent } from "../stream/events.ts"
import type { Delivery } from "../stream/session.ts"
import type { LiveStream } from "../stream/service.ts"
import { now } from "../time.ts"
import { negotiate } from "./accept.ts"
import { streamBody } from "./body.ts"
import type { Deps } from "./deps.ts"
import { reportFailure } from "./failure.ts"
import { findApp } from "./find.ts"
import { encodeNdjson, NDJSON_HELLO, NDJSON_TYPE } from "./ndjson.ts"
import { readLastEventId, readStreamQuery, readVerbose, StreamWords } from "./query.ts"
import { reply, replyStream } from "./reply.ts"
import { encodeSse, SSE_HELLO, SSE_TYPE } from "./sse.ts"
import { ignoredHeader, readWords } from "./words.ts"

export const STREAM_TYPES = { sse: SSE_TYPE, ndjson: NDJSON_TYPE } as const

const HELLOS = { sse: SSE_HELLO, ndjson: NDJSON_HELLO } as const

const ENCODERS = { sse: encodeSse, ndjson: encodeNdjson } as const

function formOf(format: keyof typeof STREAM_TYPES, verbose: boolean): Form {
  const encode = ENCODERS[format]
  return { name: verbose ? `${format} verbose` : format, encode: (event) => encode(event, verbose) }
}

/** Proxies neither keep nor compress nor gather what is to arrive now. */
const LIVE = { "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no" }

/** Takes one of the places for live streams; the returned function gives it back. */
type TakePlace = () => () => void

/** Throws `too_many_streams` while all places are taken. */
export function createPlaces(limit: number): TakePlace {
  let taken = 0
  return () => {
    if (taken >= limit) {
      const detail = `all ${limit} places for live streams are taken: close one, or raise the limit`
      throw new Failure("too_many_streams", detail)
    }
    taken++
    let given = false
    return () => {
      if (!given) taken--
      given = true
    }
  }
}

/** Everything is checked before the first byte: behind it, a `problem` event is all that is left. */
export async function answerStream(
  deps: Deps,
  takePlace: TakePlace,
  request: Request,
  id: string,
): Promise<Response> {
  const { observe, service } = deps
  const words = readWords(request, Object.keys(StreamWords.properties))
  const format = negotiate(STREAM_TYPES, words.get("format"), request.headers.get("Accept"))
  const lastEventId = readLastEventId(request, words)
  const query = readStreamQuery(words, lastEventId, { now: now(), maxTail: deps.limits.tail })
  const form = formOf(format, readVerbose(words))
  const app = await findLiveApp(deps, id, query.service, lastEventId !== "", request.signal)
  const headers = { ...LIVE, ...ignoredHeader(words) }
  if (request.method === "HEAD") return reply(null, STREAM_TYPES[format], headers)

  const leavePlace = takePlace()
  const streamEnded = observe.stream()
  const left = new AbortController()
  const stream = service.stream(app, query, form, left.signal)
  const body = streamBody<StreamEvent>({
    first: HELLOS[format],
    ready: stream.settled,
    encode: form.encode,
    isLine: (event) => event.type === "log",
    source: conclude(deps, stream),
    signal: request.signal,
    onChunk: (lines, bytes) => observe.sent(lines, bytes),
    onClose() {
      left.abort()
      leavePlace()
      streamEnded()
    },
  })
  return replyStream(body, STREAM_TYPES[format], headers)
}

/**
 * While the runtime is down, a first connect is told so; a client that comes back is let in and waits,
 * as a browser that is refused once never comes back again.
 */
async function findLiveApp(
  { directory }: Deps,
  id: string,
  service: string | undefined,
  comesBack: boolean,
  signal: AbortSignal,
): Promise<App> {
  try {
    const app = await findApp(directory, id, service, signal)
    if (directory.up || comesBack) return app
  } catch (error) {
    const down = error instanceof Failure && error.code === "runtime_unavailable"
    if (!down || !comesBack) throw error
    return directory.app(id) ?? { id, members: [] }
  }
  throw new Failure("runtime_unavailable", "the container runtime does not answer: try again soon")
}

/** A stream never just stops: a failure is told, and so is the end. */
async function* conclude(
  { shutdown, observe }: Deps,
  stream: LiveStream,
): AsyncGenerator<Delivery> {
  let cursor = ""
  let hasEnded = false
  try {
    for await (const delivery of stream.run()) {
      const last = "bytes" in delivery ? delivery : delivery.at(-1)
      cursor = last?.cursor ?? cursor
      hasEnded = last !== undefined && "type" in last && last.type === "end"
      yield delivery
    }
    if (hasEnded) return
    const reason = shutdown.aborted ? "shutdown" : "failed"
    yield [{ type: "end", reason, retryable: true, cursor }]
  } catch (error) {
    const requestId = crypto.randomUUID()
    const failure = reportFailure(error, requestId, observe)
    yield [
      { type: "problem", failure, requestId, cursor },
      { type: "end", reason: "failed", retryable: true, cursor },
    ]
  }
}
