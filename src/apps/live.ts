/** The directory as it is kept from a runtime: connected, listened to, reconnected for ever. */
import { Failure } from "../errors.ts"
import { type Observe, observeNothing } from "../observe.ts"
import type { Container, Hint, Runtime } from "../runtime.ts"
import type { App } from "./app.ts"
import { type Clock, systemClock, within } from "./clock.ts"
import { connect, type Connection, type ConnectionTiming } from "./connection.ts"
import type { Change, Directory } from "./directory.ts"
import { Roster } from "./roster.ts"

export interface Timing extends ConnectionTiming {
  /** What `refresh` waits for the very first list. */
  readonly startMs: number
  /** The first pause before connecting again; it doubles up to the last. */
  readonly retryMs: number
  readonly retryMaxMs: number
}

export const TIMING: Timing = {
  reconcileMs: 30_000,
  againMs: 50,
  ripeMs: 1_000,
  listMs: 15_000,
  pingMs: 10_000,
  pingTimeoutMs: 5_000,
  pingMisses: 2,
  startMs: 2_000,
  retryMs: 100,
  retryMaxMs: 5_000,
}

export interface DirectoryOptions {
  /** Ends everything: no call, no timer and no listener is left. */
  readonly signal: AbortSignal
  readonly observe?: Observe
  readonly timing?: Timing
  readonly clock?: Clock
  /** 0 … 1, for the jitter of the pauses. */
  readonly random?: () => number
}

/** Keeps the directory of a runtime's apps, beginning now. Throws nothing: a runtime may come later. */
export function startDirectory(runtime: Runtime, options: DirectoryOptions): Directory {
  const directory = new LiveDirectory(runtime, options)
  void directory.run()
  return directory
}

class LiveDirectory implements Directory {
  readonly #runtime: Runtime
  readonly #options: Required<DirectoryOptions>
  readonly #roster = new Roster()
  // Wrapped, so that one function may be subscribed twice.
  readonly #listeners = new Set<{ readonly call: (change: Change) => void }>()
  #state: "starting" | "up" | "down" | "stopped" = "starting"
  #connection: Connection | undefined
  #pauseMs = 0
  /** Why it is not up, as far as it is known. */
  #lostBy: unknown

  constructor(runtime: Runtime, options: DirectoryOptions) {
    this.#runtime = runtime
    this.#options = {
      observe: observeNothing,
      timing: TIMING,
      clock: systemClock,
      random: Math.random,
      ...options,
    }
  }

  get up(): boolean {
    return this.#state === "up"
  }

  apps(): readonly App[] {
    if (!this.up) throw this.#unavailable()
    return this.#roster.apps
  }

  app(id: string): App | undefined {
    return this.#roster.app(id)
  }

  async refresh(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { clock, timing } = this.#options
    const connection = this.#connection
    if (connection === undefined || this.#state === "down" || this.#state === "stopped") {
      throw this.#unavailable()
    }
    // Once up, the one list before ours and our own each have their deadline already.
    const ms = this.up ? 2 * timing.listMs : timing.startMs
    try {
      await within(
        clock,
        ms,
        signal,
        () => connection.list(),
        () => undefined,
      )
    } catch (error) {
      signal.throwIfAborted()
      throw this.#unavailable(error)
    }
  }

  subscribe(listener: (change: Change) => void): () => void {
    const entry = { call: listener }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  async run(): Promise<void> {
    const { clock, observe, random, signal, timing } = this.#options
    const seen = new Set<string>()
    let attempt = 0
    while (!signal.aborted) {
      const began = clock.now()
      this.#connection = connect({
        runtime: this.#runtime,
        signal,
        timing,
        clock,
        observe,
        seen,
        onList: (list, ripe, fresh) => this.#take(list, ripe, fresh),
      })
      const { operation, reason } = await this.#connection.lost
      if (signal.aborted) break
      // A connection that is lost as soon as it stands must not be made anew all the time.
      const hasLasted = clock.now() - began >= timing.retryMaxMs
      if (hasLasted) attempt = 0
      // Proxies cut a stream of events that is silent for long. An engine that answers is not down for that.
      if (hasLasted && this.up && operation === "watch" && (await this.#answers())) continue
      const longest = Math.min(timing.retryMs * 2 ** attempt, timing.retryMaxMs)
      this.#pauseMs = longest * (0.5 + random() / 2)
      attempt += 1
      this.#down(reason)
      await clock.wait(this.#pauseMs, signal)
    }
    this.#state = "stopped"
    this.#listeners.clear()
  }

  async #answers(): Promise<boolean> {
    const { clock, signal, timing } = this.#options
    const late = () => new Failure("runtime_unavailable", "no answer to a ping")
    const ping = (inner: AbortSignal) => this.#runtime.ping(inner)
    return within(clock, timing.pingTimeoutMs, signal, ping, late).then(
      () => true,
      () => false,
    )
  }

  #take(
    list: readonly Container[],
    ripe: readonly Hint[],
    fresh: readonly Hint[],
  ): ReadonlySet<Hint> {
    const { changes, used } = this.#roster.update(list, ripe, fresh)
    if (!this.up) {
      this.#state = "up"
      this.#lostBy = undefined
      const { observe } = this.#options
      observe.runtimeUp(true)
      observe.log("info", "runtime up", { runtime: this.#runtime.name, containers: list.length })
      this.#emit({ type: "runtime", up: true })
    }
    for (const change of changes) this.#emit(change)
    return used
  }

  #down(reason: unknown): void {
    const { observe } = this.#options
    const before = this.#state
    this.#state = "down"
    this.#lostBy = reason
    const level = before === "down" ? "debug" : "warn"
    observe.log(level, "runtime down", { runtime: this.#runtime.name, reason })
    if (before !== "up") return
    observe.runtimeUp(false)
    this.#emit({ type: "runtime", up: false })
  }

  #emit(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener.call(change)
      } catch (error) {
        this.#options.observe.log("error", "listener failed", { reason: error })
      }
    }
  }

  #unavailable(cause: unknown = this.#lostBy): Failure {
    const why = cause instanceof Failure ? `: ${cause.message}` : ""
    const message = `${this.#runtime.name} does not answer${why}`
    return new Failure("runtime_unavailable", message, {
      retryAfter: Math.max(1, Math.ceil(this.#pauseMs / 1000)),
      cause,
    })
  }
}
