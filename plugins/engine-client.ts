/** What a runtime asks of its engine: all of it ends with the runtime, and fails as the contract says. */
import { LinkedAbort } from "../src/abort.ts"
import { Failure } from "../src/errors.ts"
import { readLog } from "../src/logapi/read.ts"
import type { RecordSource } from "../src/logapi/source.ts"
import { LogGone } from "../src/logfile/source.ts"
import type { Batch, Container, Hint, ReadOptions, Start } from "../src/runtime.ts"
import { now, shift, toUnixSeconds } from "../src/time.ts"
import { Engine, EngineError, FORBIDDEN, type EngineRequest, type EngineText } from "./engine.ts"
import { EVENTS, parseEvents } from "./engine-events.ts"

export class EngineClient implements Disposable {
  readonly engine: Engine
  readonly #name: string
  /** The logging drivers to be named to who uses one that cannot be read. */
  readonly #drivers: string
  readonly #closed = new AbortController()

  constructor(name: string, socketPath: string, drivers: string) {
    this.engine = new Engine(socketPath)
    this.#name = name
    this.#drivers = drivers
  }

  async ask(request: EngineRequest): Promise<EngineText> {
    using abort = new LinkedAbort(request.signal, this.#closed.signal)
    try {
      return await this.engine.text({ ...request, signal: abort.signal })
    } catch (error) {
      throw this.toFailure(error)
    }
  }

  /** `undefined`: there is no such container any more, or nobody waits for the answer. */
  async askAbout(request: EngineRequest & { readonly id: string }): Promise<string | undefined> {
    using abort = new LinkedAbort(request.signal, this.#closed.signal)
    try {
      return (await this.engine.text({ ...request, signal: abort.signal })).text
    } catch (error) {
      if (isGone(error) || request.signal.aborted) return undefined
      throw this.toFailure(error)
    }
  }

  /** See `Runtime.watch`. */
  async *watch(ready: () => void, outer: AbortSignal): AsyncGenerator<Hint, void> {
    using abort = new LinkedAbort(outer, this.#closed.signal)
    const { signal } = abort
    // The engine answers a moment before it subscribes: events of that moment come from its memory.
    const since = toUnixSeconds(shift(now(), -1_000_000_000n))
    const query = { filters: JSON.stringify(EVENTS), since }
    try {
      const { body } = await this.engine.stream({ endpoint: "/events", query, signal })
      ready()
      yield* parseEvents(body, signal)
    } catch (error) {
      if (!signal.aborted) throw this.toFailure(error)
    }
  }

  /** See `Runtime.read`. `open` finds where the log is to be read; nothing: there is no such container. */
  async *read(
    container: Container,
    start: Start,
    options: ReadOptions,
    open: (signal: AbortSignal) => Promise<RecordSource | undefined>,
  ): AsyncGenerator<Batch, void> {
    using abort = new LinkedAbort(options.signal, this.#closed.signal)
    const { signal } = abort
    try {
      const source = await open(signal)
      if (source && !signal.aborted) yield* readLog(source, start, { ...options, signal })
    } catch (error) {
      if (signal.aborted || isGone(error) || error instanceof LogGone) return
      if (error instanceof EngineError && isUnreadable(error)) {
        throw this.unreadable(container, error)
      }
      throw this.toFailure(error)
    }
  }

  unreadable(container: Container, cause?: unknown): Failure {
    const remedy =
      cause instanceof EngineError && cause.status === FORBIDDEN
        ? cause.message
        : `use the logging driver ${this.#drivers}`
    const message = `the log of container ${container.name} cannot be read: ${remedy}`
    return new Failure("log_driver_unreadable", message, { cause })
  }

  toFailure(error: unknown): Failure {
    if (error instanceof Failure) return error
    const said = error instanceof Error ? error.message : String(error)
    const message = `${this.#name}: ${said}`
    return new Failure("runtime_unavailable", message, { retryAfter: 5, cause: error })
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
  }
}

/** 404: no such container. 409: it is being removed. Podman says 500 for one that goes while it is looked at. */
function isGone(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false
  const { status, message } = error
  return status === 404 || status === 409 || (status === 500 && /no such container/i.test(message))
}

/** In Docker's words and in Podman's; and where a proxy says so. */
function isUnreadable({ status, message }: EngineError): boolean {
  return (
    status === 501 ||
    status === FORBIDDEN ||
    /does not support reading|cannot read logs/.test(message)
  )
}
