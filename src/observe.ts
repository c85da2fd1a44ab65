/** What an operator can see of applogs itself: metrics, and log lines that never hold a line of an app. */
import { readdirSync } from "node:fs"
import { Counter, Gauge, Histogram, Registry } from "prom-client"
import { type Fields, formatLogLine, type Level, LEVELS } from "./logfmt.ts"

export interface Observe {
  /** One event that an operator cares about. */
  log(level: Level, event: string, fields?: Fields): void
  /** Lines handed to a client, and the bytes that they took. */
  sent(lines: number, bytes: number): void
  /** Lines of a container were read, to be sent or passed over. `source` is its guarantee's. */
  read(source: string, lines: number): void
  gap(reason: string): void
  /** A client starts to read what is already there: at its start, or because it fell behind. */
  replay(): void
  /** A live stream was opened; the returned function says that it has ended. */
  stream(): () => void
  /** How many are open. */
  readonly streams: number
  /** What is bounded, by its name; said again when it changes. */
  limits(limits: Readonly<Record<string, number>>): void
  /** A container's log is followed; the returned function says that it no longer is. */
  follower(): () => void
  /** An app's newest lines are kept, so many bytes of them; the returned function says that they are dropped. */
  ring(bytes: () => number): () => void
  runtimeUp(up: boolean): void
  runtimeError(operation: "ping" | "list" | "watch" | "read"): void
  /**
   * The answer to a request has begun, `seconds` after it came to its route; `undefined`: it came to none. `route` is
   * the pattern, never the path: paths have no bound.
   */
  request(route: string, status: number, seconds?: number): void
  /** A line that somebody follows was read, so many seconds after its time. */
  lag(seconds: number): void
  /** In the Prometheus text format. */
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>
}

export interface ObserveOptions {
  /** Log lines above this level are left out. Looked at for each line: it may change. */
  readonly level: Level
  readonly write: (line: string) => void
}

export function createObserve(options: ObserveOptions): Observe {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string = never>(
    name: string,
    help: string,
    labels: Label[] = [],
  ) => new Counter({ name, help, labelNames: labels, registers })
  const gauge = (name: string, help: string, collect?: (this: Gauge) => void) =>
    new Gauge({ name, help, registers, ...(collect && { collect }) })
  const limits = new Gauge({
    name: "applogs_limit",
    help: "What is bounded, and how.",
    labelNames: ["limit"],
    registers,
  })

  const lines = counter("applogs_lines_sent_total", "Log lines sent to clients.")
  const bytes = counter("applogs_bytes_sent_total", "Bytes of log lines sent to clients.")
  const linesRead = counter(
    "applogs_lines_read_total",
    "Log lines read, by where they were read.",
    ["source"],
  )
  const gaps = counter("applogs_gaps_total", "Gaps in logs that were read.", ["reason"])
  const replays = counter("applogs_replays_total", "Times that a client began to read old logs.")
  const streams = new Tally(gauge("applogs_streams_open", "Live streams that are open."))
  const followers = new Tally(gauge("applogs_followers", "Containers whose logs are followed."))
  const rings = new Set<() => number>()
  gauge("applogs_ring_bytes", "Bytes of newest lines kept for live streams, about.", function () {
    this.set([...rings].reduce((sum, read) => sum + read(), 0))
  })
  const up = gauge("applogs_runtime_up", "Whether the container runtime answers.")
  const errors = counter("applogs_runtime_errors_total", "Failed calls of the runtime.", [
    "operation",
  ])
  const requests = counter("applogs_requests_total", "Answered requests.", ["route", "status"])
  const durations = new Histogram({
    name: "applogs_request_duration_seconds",
    help: "From a request to the beginning of its answer.",
    labelNames: ["route"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  })
  const lags = new Histogram({
    name: "applogs_lag_seconds",
    help: "From a followed line's time to its reading, of the last line of each batch.",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  })
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", function () {
    this.set(process.memoryUsage.rss())
  })
  gauge("process_open_fds", "Number of open file descriptors.", function () {
    this.set(countOpenFiles())
  })
  gauge("process_start_time_seconds", "Start time since the Unix epoch in seconds.", function () {
    this.set(Math.round(Date.now() / 1000 - process.uptime()))
  })

  return {
    log(level, event, fields = {}) {
      if (LEVELS.indexOf(level) > LEVELS.indexOf(options.level)) return
      options.write(formatLogLine(new Date().toISOString(), level, event, fields))
    },
    sent(lineCount, byteCount) {
      lines.inc(lineCount)
      bytes.inc(byteCount)
    },
    read: (source, lineCount) => linesRead.inc({ source }, lineCount),
    gap: (reason) => gaps.inc({ reason }),
    replay: () => replays.inc(),
    limits(given) {
      for (const [limit, value] of Object.entries(given)) {
        limits.set(
          { limit: limit.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) },
          value,
        )
      }
    },
    stream: () => streams.enter(),
    get streams() {
      return streams.value
    },
    follower: () => followers.enter(),
    ring(read) {
      rings.add(read)
      return () => void rings.delete(read)
    },
    runtimeUp: (value) => up.set(value ? 1 : 0),
    runtimeError: (operation) => errors.inc({ operation }),
    request(route, status, seconds) {
      requests.inc({ route, status })
      if (seconds !== undefined) durations.observe({ route }, seconds)
    },
    lag: (seconds) => lags.observe(seconds),
    metrics: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}

/** How many there are of something. */
class Tally {
  readonly #gauge: Gauge
  #value = 0

  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  get value(): number {
    return this.#value
  }

  /** One more, until the returned function is called. */
  enter(): () => void {
    this.#gauge.set(++this.#value)
    let counts = true
    return () => {
      if (counts) this.#gauge.set(--this.#value)
      counts = false
    }
  }
}

/** Sees nothing: for tests, and for code that is used without a service around it. */
export const observeNothing: Observe = {
  log() {},
  sent() {},
  read() {},
  gap() {},
  replay() {},
  limits() {},
  stream: () => () => {},
  streams: 0,
  follower: () => () => {},
  ring: () => () => {},
  runtimeUp() {},
  runtimeError() {},
  request() {},
  lag() {},
  metrics: async () => ({ contentType: "text/plain", body: "" }),
}

/** Zero where there is no /proc. */
function countOpenFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return 0
  }
}
