/** A directory and a log service made by hand, that say what they were asked. */
import type { App, Member } from "../../src/apps/app.ts"
import type { Directory } from "../../src/apps/directory.ts"
import { Failure } from "../../src/errors.ts"
import { createApp } from "../../src/http/app.ts"
import { hashKey, type KeyEntry } from "../../src/http/keys.ts"
import type { Limits } from "../../src/http/places.ts"
import { type Observe, observeNothing } from "../../src/observe.ts"
import type { Line } from "../../src/runtime.ts"
import { endEvent, type LogEvent, type StreamEvent } from "../../src/stream/events.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import type { LogService, MemberLine, Snapshot } from "../../src/stream/service.ts"
import type { Instant } from "../../src/time.ts"

export const AT = "2026-08-20T12:34:56.123456789Z" as Instant
export const CURSOR = "v1.abc123"

export function makeMember(service = "web", needs?: string, name = `shop-${service}-1`): Member {
  return {
    app: "shop",
    service,
    ...(needs !== undefined && { needs }),
    container: {
      id: "0123456789abcdef".repeat(4),
      name,
      labels: {},
      state: "running",
      createdAt: AT,
      guarantee: { level: "exact", source: "file", reason: "" },
    },
  }
}

export const WEB = makeMember()
export const DATABASE = makeMember("needs-postgres", "postgres")

export function makeLine(message: string, stream: Line["stream"] = "stdout"): Line {
  return { stream, timestamp: AT, message, position: "p" }
}

export function makeLog(message: string, cursor = CURSOR, member = WEB): LogEvent & StreamEvent {
  return { type: "log", member, line: makeLine(message), cursor }
}

/** A key as its file has it. */
export function entryOf(key: string, apps?: readonly string[], name?: string): KeyEntry {
  return { hash: hashKey(key), ...(apps && { apps }), ...(name !== undefined && { name }) }
}

/** A live stream that a client has opened. */
export interface OpenStream {
  readonly app: App
  readonly query: LogQuery
  readonly signal: AbortSignal
  /** How often it was asked for a batch. */
  readonly pulls: () => number
  /** Whether nobody waits for it any more. */
  readonly over: () => boolean
  readonly push: (...events: StreamEvent[]) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

export interface Fake {
  readonly app: ReturnType<typeof createApp>
  readonly calls: string[]
  readonly streams: OpenStream[]
  readonly snapshots: { query: LogQuery; signal: AbortSignal }[]
  readonly logged: unknown[]
  /** What the metrics were told of: `route status`, lines sent, streams that are open. */
  readonly metrics: { requests: string[]; lines: number; streams: number }
  readonly shutdown: AbortController
  /** The runtime's state, and what a refresh finds. */
  runtime: { up: boolean; found: App[] }
  lines: readonly (readonly MemberLine[])[]
  /** Thrown as the snapshot is opened, or behind so many of its batches. */
  snapshotFailure: { error: Error; after: "opening" | number } | undefined
  /** Makes a stream instead of those that are pushed into. */
  source: ((signal: AbortSignal) => AsyncIterable<readonly StreamEvent[]>) | undefined
}

const SHOP: App = { id: "shop", members: [WEB, DATABASE] }

export const LIMITS: Limits = { streams: 100, streamsPerKey: 100, snapshots: 10, tail: 10_000 }

export function createFake(given: Partial<Limits> = {}): Fake {
  const limits = { ...LIMITS, ...given }
  let known: App[] = [SHOP]
  const calls: string[] = []
  const directory: Directory = {
    get up() {
      return fake.runtime.up
    },
    apps() {
      calls.push("apps")
      return known
    },
    app(id) {
      calls.push(`app ${id}`)
      return known.find((app) => app.id === id)
    },
    async refresh() {
      calls.push("refresh")
      if (!fake.runtime.up)
        throw new Failure("runtime_unavailable", "it is down", { retryAfter: 7 })
      known = fake.runtime.found
    },
    subscribe: () => () => {},
  }
  const service: LogService = {
    async snapshot(app, query, signal): Promise<Snapshot> {
      calls.push("snapshot")
      fake.snapshots.push({ query, signal })
      if (fake.snapshotFailure?.after === "opening") throw fake.snapshotFailure.error
      return { lines: readLines(), cursor: CURSOR, truncated: true, members: app.members }
    },
    stream(app, query) {
      calls.push("stream")
      const leaving = new AbortController()
      const { signal } = leaving
      const { stream, events } = createStream(app, query, signal, shutdown.signal)
      const source = fake.source?.(signal)[Symbol.asyncIterator]()
      if (!source) fake.streams.push(stream)
      return {
        settled: Promise.resolve(),
        next: () => (source ?? events).next(),
        end: (reason) => {
          stream.push(endEvent(reason, CURSOR))
          stream.end()
        },
        async return() {
          leaving.abort()
          return { done: true, value: await (source ?? events).return?.().then(() => {}) }
        },
      }
    },
  }
  async function* readLines() {
    for (const [index, batch] of fake.lines.entries()) {
      if (fake.snapshotFailure?.after === index) throw fake.snapshotFailure.error
      yield batch
    }
  }
  const observe: Observe = {
    ...observeNothing,
    log: (level, event, fields) => logged.push({ level, event, ...fields }),
    request: (route, status) => metrics.requests.push(`${route} ${status}`),
    sent: (lines) => (metrics.lines += lines),
    stream() {
      metrics.streams++
      return () => metrics.streams--
    },
  }
  const logged: unknown[] = []
  const metrics: Fake["metrics"] = { requests: [], lines: 0, streams: 0 }
  const shutdown = new AbortController()
  const fake: Fake = {
    app: createApp({
      directory,
      service,
      observe,
      limits,
      shutdown: shutdown.signal,
      version: "1.2.3",
    }),
    calls,
    streams: [],
    snapshots: [],
    logged,
    metrics,
    shutdown,
    runtime: { up: true, found: [SHOP] },
    lines: [],
    snapshotFailure: undefined,
    source: undefined,
  }
  return fake
}

function createStream(app: App, query: LogQuery, signal: AbortSignal, shutdown: AbortSignal) {
  const batches: (readonly StreamEvent[])[] = []
  let finish: (() => IteratorResult<readonly StreamEvent[]>) | undefined
  let wake = () => {}
  let pulls = 0
  let over = false
  const done = { done: true, value: undefined } as const
  for (const each of [signal, shutdown]) each.addEventListener("abort", () => wake())
  const iterator: AsyncIterator<readonly StreamEvent[]> = {
    async next() {
      pulls++
      while (true) {
        const value = batches.shift()
        if (value !== undefined) return { done: false, value }
        if (shutdown.aborted && !over) {
          over = true
          return { done: false, value: [endEvent("shutdown", CURSOR)] }
        }
        if (signal.aborted || over || finish) {
          over = true
          return finish ? finish() : done
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async return() {
      over = true
      return done
    },
  }
  const stream: OpenStream = {
    app,
    query,
    signal,
    pulls: () => pulls,
    over: () => over,
    push(...events) {
      batches.push(events)
      wake()
    },
    end() {
      finish = () => done
      wake()
    },
    fail(error) {
      finish = () => {
        throw error
      }
      wake()
    },
  }
  return { stream, events: iterator }
}

/** Asks the app itself, without the doors around it. */
export function ask(
  fake: Fake,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
) {
  return fake.app.handle(new Request(`http://localhost${path}`, { method, headers }))
}

/** A problem's body. */
export async function readProblem(response: Response) {
  return (await response.json()) as {
    code: string
    status: number
    detail: string
    requestId: string
    errors?: { parameter: string; detail: string }[]
    allowed?: string[]
  }
}

/** Waits for a condition, and fails if it does not come. */
export async function until(condition: () => boolean, ms = 4_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`never became true: ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
