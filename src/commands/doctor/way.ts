/**
 * What is between here and a service, and what it does to a stream. One stream shows it all: it begins with a cursor
 * that is none, so that the service answers with a gap if it is told of it; and it looks for a text that no line has,
 * so that it is quiet but for the pings.
 */
import { LinkedAbort } from "../../abort.ts"
import { pathOf } from "../../client/question.ts"
import type { Where } from "../../client/where.ts"
import { firstLine } from "../../usage.ts"
import { Ear } from "./ear.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"
import { examineService } from "./service.ts"

export interface Bounds {
  /** The first words must have come by then. */
  readonly firstMs: number
  /** And the next ones: the service says some after 15 seconds of silence, or at its next tick behind them. */
  readonly quietMs: number
}

const USUAL: Bounds = { firstMs: 5_000, quietMs: 25_000 }

const REMEDIES = {
  buffering:
    "turn its buffering off for this path: nginx by proxy_buffering off, or by heeding X-Accel-Buffering",
  idle: "set its idle time above 20 seconds: nginx by proxy_read_timeout, HAProxy by timeout server",
  compression:
    "leave text/event-stream out of it (nginx: gzip_types), or heed Cache-Control: no-transform",
  type: "let the proxy leave Content-Type alone: browsers take no other",
  cursor: "let the proxy pass this header on",
  other: "see what the proxy logs of it",
}

/** A quiet stream is no dead one. Bun's types leave it out. */
const NEVER_IDLE: object = { timeout: false }

export async function* examineWay(
  where: Where,
  signal: AbortSignal,
  bounds = USUAL,
): AsyncGenerator<Finding, void> {
  using connection = new LinkedAbort(signal)
  try {
    const app = yield* examineService(where, connection, bounds.firstMs)
    if (app !== undefined) yield* examineStream(where, app, connection, bounds)
  } catch (error) {
    if (signal.aborted) throw error
    yield fail("stream", firstLine(error), REMEDIES.other)
  } finally {
    connection.abort()
  }
}

async function* examineStream(
  where: Where,
  app: string,
  connection: LinkedAbort,
  { firstMs, quietMs }: Bounds,
): AsyncGenerator<Finding, void> {
  const end = performance.now() + firstMs
  const ear = new Ear(open(where, app, connection.signal))
  const response = await ear.answer(firstMs)
  if (response && response.status !== 200) {
    yield fail("stream", `it is answered with ${response.status}`, REMEDIES.other)
    return
  }
  if (response) yield* examineHead(response)
  const said = await ear.until(isSettled, end - performance.now())
  if (said !== "") yield ok("buffering", "the first words come at once")
  else {
    const found = `not a word within ${firstMs / 1_000} s: what is in between gathers the stream`
    if (ear.isOver) yield fail("stream", "it ends without a word", REMEDIES.other)
    else yield fail("buffering", found, REMEDIES.buffering)
    return
  }
  yield examineCursor(said)
  yield await examineSilence(ear, quietMs)
}

/** As a browser that was connected before: it takes what is compressed, if somebody does so. */
function open(where: Where, app: string, signal: AbortSignal): Promise<Response> {
  const url = new URL(`${pathOf(app)}/logs/stream`, where.base)
  url.searchParams.set("grep", crypto.randomUUID())
  const told = { Accept: "text/event-stream", "Last-Event-ID": "applogs-doctor" }
  const headers = { ...where.headers, ...told }
  return fetch(url, { headers, signal, redirect: "manual", ...NEVER_IDLE })
}

/** After a cursor that is none, the first ping comes as soon as the beginning is found. */
function isSettled(said: string): boolean {
  return said.includes("event: ping")
}

function* examineHead({ headers }: Response): Generator<Finding, void> {
  const type = headers.get("Content-Type") ?? "nothing"
  if (type.split(";", 1)[0]?.trim() !== "text/event-stream") {
    yield warn("content type", `${type}, not text/event-stream`, REMEDIES.type)
  }
  const encoding = headers.get("Content-Encoding") ?? "identity"
  if (encoding !== "identity") {
    const found = `the stream is compressed (${encoding}), which may gather lines`
    yield warn("compression", found, REMEDIES.compression)
  }
}

function examineCursor(said: string): Finding {
  if (said.includes("malformed_cursor")) return ok("resume", "Last-Event-ID reaches the service")
  const found = "Last-Event-ID does not reach the service: browsers that reconnect miss lines"
  return fail("resume", found, REMEDIES.cursor)
}

async function examineSilence(ear: Ear, quietMs: number): Promise<Finding> {
  const since = performance.now()
  const said = await ear.until((text) => text !== "", quietMs)
  const seconds = Math.round((performance.now() - since) / 1_000)
  if (said !== "") return ok("quiet stream", `it lives: the next word came after ${seconds} s`)
  if (ear.isOver)
    return fail("quiet stream", `it is cut after ${seconds} s of silence`, REMEDIES.idle)
  const found = `no ping within ${seconds} s: what is in between gathers the stream`
  return fail("buffering", found, REMEDIES.buffering)
}
