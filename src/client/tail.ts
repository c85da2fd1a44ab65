/**
 * `applogs tail`: follows an app, over lost connections and the service's own restarts. Where it goes on is the
 * position of the last line that it printed, which the service knows again.
 */
import { LinkedAbort } from "../abort.ts"
import { collect, type Environment, type Given, type ReadFile } from "../given.ts"
import { ask, SILENCE_MS } from "./ask.ts"
import { Backoff, pause } from "./backoff.ts"
import { openPlace, type Place } from "./cursor-file.ts"
import { ClientFailure, handOver, type Outlet, say } from "./ending.ts"
import { describeEvent } from "./events.ts"
import { type LogLine, NDJSON_TYPE, readChunks, readObjects, type StreamEvent } from "./objects.ts"
import { TAIL_OPTIONS } from "./options.ts"
import { createPrinter, type Look, readLook } from "./print.ts"
import { findServices, pathOf, type Query, readApp, readQuery } from "./question.ts"
import { findWhere, type Where } from "./where.ts"

export interface Tail {
  readonly app: string
  readonly query: Query
  readonly where: Where
  readonly look: Look
  readonly cursorFile: Given | undefined
}

/** A connection that has lasted so long was a good one. */
const GOOD_MS = 10_000

/** As `tail -f` does. */
const USUAL_TAIL = "10"

/** Throws a UsageError. */
export function readTail(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
  isTerminal: boolean,
): Tail {
  const { given, words } = collect({ command: "tail", options: TAIL_OPTIONS }, argv, env, readFile)
  const query = readQuery(given)
  const begins = query["tail"] !== undefined || query["since"] !== undefined
  return {
    app: readApp("tail", words),
    query: begins ? query : { ...query, tail: USUAL_TAIL },
    where: findWhere(given, env, readFile),
    look: readLook(given, env, isTerminal),
    cursorFile: given("cursorFile"),
  }
}

/** Ends by what it throws alone. The first connection must succeed; later ones are waited for. */
export async function tail(
  asked: Tail,
  outlet: Outlet,
  { silenceMs = SILENCE_MS, backoff = new Backoff() } = {},
): Promise<void> {
  const { app, query, where, look } = asked
  const place = openPlace(asked.cursorFile)
  const services = await findServices(where, app, query, look, outlet.signal)
  const print = createPrinter(look, services)
  let state: "first" | "connected" | "lost" = "first"
  for (;;) {
    const connection = new LinkedAbort(outlet.signal)
    let since = Number.POSITIVE_INFINITY
    try {
      const response = await ask(where, {
        path: `${pathOf(app)}/logs/stream`,
        query: { ...query, verbose: "true" },
        type: NDJSON_TYPE,
        headers: place.cursor === "" ? {} : { "Last-Event-ID": place.cursor },
        connection,
        withinMs: silenceMs,
      })
      if (state === "lost") say(outlet, "resumed")
      state = "connected"
      since = performance.now()
      for await (const batch of readObjects(readChunks(response, connection, silenceMs))) {
        await deliver(batch, print, outlet, place)
        if (batch.some(isLine)) backoff.reset()
      }
      throw new ClientFailure(1, "the stream ended", { passes: true })
    } catch (error) {
      if (outlet.signal.aborted || state === "first") throw error
      if (!(error instanceof ClientFailure && error.passes)) throw error
      if (state === "connected") say(outlet, `connection lost: ${error.message}; resuming`)
      state = "lost"
      if (performance.now() - since > GOOD_MS) backoff.reset()
      await pause(backoff.next(error.retryMs), outlet.signal)
    } finally {
      connection.abort()
    }
  }
}

/** In order: what is said of a line's surroundings comes neither before nor after it. */
async function deliver(
  batch: readonly (LogLine | StreamEvent)[],
  print: (line: LogLine) => string,
  outlet: Outlet,
  place: Place,
): Promise<void> {
  let text = ""
  let cursor = place.cursor
  const flush = async () => {
    if (text !== "") await handOver(outlet, text)
    text = ""
    place.move(cursor)
  }
  for (const told of batch) {
    if (isLine(told)) text += print(told)
    else {
      await flush()
      const words = describeEvent(told)
      if (words !== undefined) say(outlet, words)
    }
    cursor = told.cursor || cursor
    if (told.event === "end") {
      await flush()
      throw new ClientFailure(1, `the service ended it (${told.reason})`, {
        passes: told.retryable,
      })
    }
  }
  await flush()
}

function isLine(told: LogLine | StreamEvent): told is LogLine {
  return told.event === undefined
}
