/**
 * One connection to the runtime: watched, listed and pinged, until any of that fails. Hints only say that
 * it is time for a list; what is so, lists say.
 */
import { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import type { Container, Hint, Runtime } from "../runtime.ts"
import { type Clock, within } from "./clock.ts"

export interface ConnectionTiming {
  /** Between full lists that nothing asked for. */
  readonly reconcileMs: number
  /** Before another list when the last one did not show yet what a hint says; doubles from try to try. */
  readonly againMs: number
  /** What a hint waits for such a list. */
  readonly ripeMs: number
  /** What a list, and the start of watching, may take. */
  readonly listMs: number
  /** Between pings. */
  readonly pingMs: number
  /** What one ping may take. */
  readonly pingTimeoutMs: number
  /** Pings missed in a row that make a runtime a dead one. */
  readonly pingMisses: number
}

export interface ConnectionOptions {
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly timing: ConnectionTiming
  readonly clock: Clock
  readonly observe: Observe
  /** Hints that have come lately, over all connections: a new one may begin with old news. */
  readonly seen: Set<string>
  /**
   * Takes over a complete list, with the hints that have waited for long enough to be shown by it, and
   * the others; returns which of those are done with.
   */
  readonly onList: (
    list: readonly Container[],
    ripe: readonly Hint[],
    fresh: readonly Hint[],
  ) => ReadonlySet<Hint>
}

/** What has failed first, and why. */
export interface Loss {
  readonly operation: "list" | "watch" | "ping" | "stop"
  readonly reason: unknown
}

export interface Connection {
  /** Resolves when the connection is lost. Its timers and calls end with it. */
  readonly lost: Promise<Loss>
  /** Resolves when a list that was begun after this call has been taken over. Rejects when it cannot be. */
  list(): Promise<void>
}

/** Hints that wait for a list, and that are remembered to tell doubled ones. More are lost, as hints may be. */
const HINTS = 1_000

export function connect(options: ConnectionOptions): Connection {
  const { runtime, timing, clock, observe, seen } = options
  const scope = new AbortController()
  const { signal } = scope
  const lost = Promise.withResolvers<Loss>()
  const ready = Promise.withResolvers<void>()
  let waiting: { readonly hint: Hint; readonly since: number }[] = []
  let again = false
  let tries = 0
  let running: Promise<void> | undefined
  let queued: Promise<void> | undefined

  const lose = (loss: Loss) => {
    options.signal.removeEventListener("abort", stop)
    lost.resolve(loss)
    scope.abort(loss.reason)
  }
  const stop = () => lose({ operation: "stop", reason: options.signal.reason })

  /** One list at a time, and at most one more after it, however many ask. */
  function list(): Promise<void> {
    if (running === undefined) {
      running = listNow().finally(() => {
        running = undefined
      })
      return running
    }
    queued ??= running.then(() => {
      queued = undefined
      return list()
    })
    return queued
  }

  async function listNow(): Promise<void> {
    try {
      await withinMs(timing.listMs, () => ready.promise)
      const begun = clock.now()
      const containers = await withinMs(timing.listMs, (inner) => runtime.list(inner))
      const isRipe = ({ since }: { since: number }) => begun - since >= timing.ripeMs
      const fresh = waiting.filter((each) => !isRipe(each))
      const used = options.onList(containers, hintsOf(waiting.filter(isRipe)), hintsOf(fresh))
      waiting = fresh.filter(({ hint }) => !used.has(hint))
      listAgain()
    } catch (error) {
      fail("list", error)
      throw error
    }
  }

  /** Less and less often, and when the oldest hint has waited for long enough. */
  function listAgain(): void {
    const [oldest] = waiting
    if (again || oldest === undefined) return
    again = true
    const pause = timing.againMs * 2 ** tries
    const left = oldest.since + timing.ripeMs - clock.now()
    void clock.wait(Math.max(0, Math.min(pause, left)), signal).then(() => {
      again = false
      if (waiting.length > 0) list().catch(() => {})
    })
    tries += 1
  }

  async function watch(): Promise<void> {
    for await (const hint of runtime.watch(ready.resolve, signal)) {
      if (signal.aborted) return
      if (isKnown(hint)) continue
      tries = 0
      if (waiting.length < HINTS) waiting.push({ hint, since: clock.now() })
      list().catch(() => {})
    }
    throw new Failure("runtime_unavailable", "the runtime ended its stream of events")
  }

  function isKnown(hint: Hint): boolean {
    const key = `${hint.id} ${hint.change} ${hint.at}`
    if (seen.has(key)) return true
    seen.add(key)
    if (seen.size > HINTS) {
      for (const oldest of seen) {
        seen.delete(oldest)
        break
      }
    }
    return false
  }

  async function reconcile(): Promise<void> {
    while (!signal.aborted) {
      await list()
      await clock.wait(timing.reconcileMs, signal)
    }
  }

  /** An engine that hangs accepts connections and says nothing: only a deadline tells. */
  async function ping(): Promise<void> {
    let misses = 0
    for (;;) {
      await clock.wait(timing.pingMs, signal)
      if (signal.aborted) return
      try {
        await withinMs(timing.pingTimeoutMs, (inner) => runtime.ping(inner))
        misses = 0
      } catch (error) {
        misses += 1
        if (misses >= timing.pingMisses) throw error
      }
    }
  }

  function withinMs<T>(ms: number, work: (inner: AbortSignal) => Promise<T>): Promise<T> {
    const late = () => new Failure("runtime_unavailable", `no answer within ${ms} ms`)
    return within(clock, ms, signal, work, late)
  }

  function fail(operation: "list" | "watch" | "ping", reason: unknown): void {
    if (!signal.aborted) observe.runtimeError(operation)
    lose({ operation, reason })
  }

  options.signal.addEventListener("abort", stop)
  if (options.signal.aborted) stop()
  watch().catch((error: unknown) => fail("watch", error))
  ping().catch((error: unknown) => fail("ping", error))
  // A failed list has lost the connection already.
  reconcile().catch(() => {})
  return { lost: lost.promise, list }
}

function hintsOf(waiting: readonly { readonly hint: Hint }[]): Hint[] {
  return waiting.map(({ hint }) => hint)
}
