/** `GET /api/apps/{app}/logs/stream`: what there is from some point on, and then what comes. */
import type { App } from "../apps/app.ts"
import { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import type { Line } from "../runtime.ts"
import type { Form } from "../stream/chunk.ts"
import { endEvent, type StreamEvent } from "../stream/events.ts"
import { now } from "../time.ts"
import { negotiate } from "./accept.ts"
import { encodeBlock } from "./block.ts"
import { streamBody } from "./body.ts"
import type { RouteDeps } from "./deps.ts"
import { reportFailure } from "./failure.ts"
import { findApp } from "./find.ts"
import { encodeNdjson, NDJSON_HELLO, NDJSON_TYPE } from "./ndjson.ts"
import type { Places } from "./places.ts"
import { readLastEventId, readStreamQuery, readVerbose, StreamWords } from "./query.ts"
import { reply, replyStream } from "./reply.ts"
import { encodeSse, SSE_HELLO, SSE_TYPE } from "./sse.ts"
import type { View } from "./view.ts"
import { ignoredHeader, readWords } from "./words.ts"

export const STREAM_TYPES = { sse: SSE_TYPE, ndjson: NDJSON_TYPE } as const

const HELLOS = { sse: SSE_HELLO, ndjson: NDJSON_HELLO } as const

const ENCODERS = { sse: encodeSse, ndjson: encodeNdjson } as const

/** Made once: clients that are told in the same form share what is encoded. */
const FORMS = {
  sse: { plain: formOf("sse", false), verbose: formOf("sse", true) },
  ndjson: { plain: formOf("ndjson", false), verbose: formOf("ndjson", true) },
} as const

function formOf(format: keyof typeof ENCODERS, verbose: boolean): Form {
  const encode = ENCODERS[format]
  return {
    name: `${format} ${verbose}`,
    encode: (event) => encode(event, verbose),
    encodeBlock(member, block, { before, behind }, scratch) {
      const encodeLine = (line: Line) =>
        encode({ type: "log", member, line, cursor: before + line.position + behind }, verbose)
      return encodeBlock(block, encodeLine, true, scratch)
    },
  }
}

/** Proxies neither keep nor compress nor gather what is to arrive now. */
const LIVE = { "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no" }

/** Everything is checked before the first byte: behind it, a `problem` event is all that is left. */
export async function answerStream(
  deps: RouteDeps,
  places: Places,
  request: Request,
  id: string,
): Promise<Response> {
  const { observe, service } = deps
  const words = readWords(request, Object.keys(StreamWords.properties))
  const format = negotiate(STREAM_TYPES, words.get("format"), request.headers.get("Accept"))
  const lastEventId = readLastEventId(request, words)
  const query = readStreamQuery(words, lastEventId, { now: now(), maxTail: deps.limits.tail })
  const form = FORMS[format][readVerbose(words) ? "verbose" : "plain"]
  const view = deps.view(request)
  const app = await findLiveApp(view, id, query.service, lastEventId !== "", request.signal)
  const headers = { ...LIVE, ...ignoredHeader(words) }
  if (request.method === "HEAD") return reply(null, STREAM_TYPES[format], headers)

  const leavePlace = places.takeStream(request)
  const streamEnded = observe.stream()
  const stream = service.stream(app, query, form)
  const stopWatching = view.onHidden(id, () => stream.end("revoked"))
  const body = streamBody<StreamEvent>({
    first: HELLOS[format],
    ready: stream.settled,
    encode: form.encode,
    isLine,
    source: stream,
    signal: request.signal,
    last: (error) => (error === undefined ? "" : tellFailure(error, form, observe)),
    onChunk: (lines, bytes) => observe.sent(lines, bytes),
    onClose() {
      stopWatching()
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
  view: View,
  id: string,
  service: string | undefined,
  comesBack: boolean,
  signal: AbortSignal,
): Promise<App> {
  try {
    const app = await findApp(view, id, service, signal)
    if (view.up || comesBack) return app
  } catch (error) {
    const down = error instanceof Failure && error.code === "runtime_unavailable"
    if (!down || !comesBack || !view.sees(id)) throw error
    return view.app(id) ?? { id, members: [] }
  }
  throw new Failure("runtime_unavailable", "the container runtime does not answer: try again soon")
}

function isLine({ type }: StreamEvent): boolean {
  return type === "log"
}

/** A stream never just stops. An event without a cursor leaves the client's as it is. */
function tellFailure(error: unknown, { encode }: Form, observe: Observe): string {
  const requestId = crypto.randomUUID()
  const failure = reportFailure(error, requestId, observe)
  const problem = encode({ type: "problem", failure, requestId, cursor: "" })
  return problem + encode(endEvent("failed", ""))
}
