/**
 * The border to a plugin that is not built in. What it hands over is checked, what it throws is given a code, and
 * whoever has stopped waiting for it is let go, whether or not it heeds its signal.
 */
import { type Code, Failure } from "../src/errors.ts"
import type { Batch, Container, Hint, ReadOptions, Runtime, Start } from "../src/runtime.ts"
import { isBatch, isHint, isList, isVersion, type Shape } from "./shapes.ts"

/** What the next batch of what a log already holds may take, so that a read which hangs does not hang its reader. */
const BATCH_MS = 30_000

/** What a plugin may say of itself by the `code` of what it throws. It cannot have the class `Failure`. */
const CODES: readonly unknown[] = ["runtime_unavailable", "log_driver_unreadable"]

export class CheckedRuntime implements Runtime {
  readonly name: string
  readonly #runtime: Runtime
  readonly #batchMs: number

  constructor(name: string, runtime: Runtime, batchMs = BATCH_MS) {
    this.name = name
    this.#runtime = runtime
    this.#batchMs = batchMs
  }

  async ping(signal: AbortSignal): Promise<{ readonly version: string }> {
    return this.#guard("ping()", async () =>
      this.#check("ping()", isVersion, await this.#runtime.ping(signal)),
    )
  }

  async list(signal: AbortSignal): Promise<readonly Container[]> {
    return this.#guard("list()", async () => {
      const list = this.#check("list()", isList, await this.#runtime.list(signal))
      const ids = new Set(list.map(({ id }) => id))
      if (ids.size < list.length) throw this.#broken("list()", "two containers have the same id")
      return list
    })
  }

  watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    return this.#each("watch()", isHint, () => this.#runtime.watch(ready, signal), signal)
  }

  async *read(
    container: Container,
    start: Start,
    options: ReadOptions,
  ): AsyncGenerator<Batch, void> {
    const open = () => this.#runtime.read(container, start, options)
    // Behind its first batch, a follow may be silent for ever.
    const first = this.#batchMs
    const limits = options.follow ? { first } : { first, next: first }
    const batches = this.#each("read()", isBatch, open, options.signal, limits)
    // A block is bytes and offsets, to be read without a look at them: only those of this house are.
    for await (const { gap, lines, position } of batches) {
      yield gap ? { gap, lines, position } : { lines, position }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime[Symbol.asyncDispose]()
  }

  /** What it yields, until the signal is aborted. */
  async *#each<Value>(
    method: string,
    shape: Shape<Value>,
    open: () => AsyncIterable<unknown>,
    signal: AbortSignal,
    limits: { readonly first?: number; readonly next?: number } = {},
  ): AsyncGenerator<Value, void> {
    let source: AsyncIterator<unknown> | undefined
    try {
      source = open()[Symbol.asyncIterator]()
      let limit = limits.first
      while (!signal.aborted) {
        const next = await unlessAborted(source.next(), signal, limit)
        if (next === undefined || next.done) return
        yield this.#check(method, shape, next.value)
        limit = limits.next
      }
    } catch (error) {
      if (!signal.aborted) throw this.#toFailure(method, error)
    } finally {
      // Not waited for: one that hangs would never end.
      void (async () => source?.return?.())().catch(() => {})
    }
  }

  async #guard<Value>(method: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      throw this.#toFailure(method, error)
    }
  }

  #check<Value>(method: string, shape: Shape<Value>, handed: unknown): Value {
    const result = shape(handed)
    if ("value" in result) return result.value
    throw this.#broken(method, `gave something wrong at ${result.flaw}`)
  }

  #toFailure(method: string, error: unknown): Failure {
    if (error instanceof Failure) return error
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
    const said = typeof message === "string" ? message.slice(0, 200) : "no Error"
    if (CODES.includes(code)) {
      return new Failure(code as Code, `${this.name}: ${said}`, { cause: error })
    }
    return this.#broken(method, `threw: ${said}`, error)
  }

  #broken(method: string, what: string, cause?: unknown): Failure {
    return new Failure("runtime_invalid", `the plugin ${this.name}, ${method}: ${what}`, { cause })
  }
}

/** What the promise resolves with; `undefined` once the signal is aborted. Throws when `limitMs` have passed. */
async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  limitMs: number | undefined,
): Promise<Value | undefined> {
  const cut = Promise.withResolvers<undefined>()
  const stop = () => cut.resolve(undefined)
  const late = () =>
    cut.reject(new Failure("runtime_unavailable", `no answer within ${limitMs} ms`))
  const timer = limitMs === undefined ? undefined : setTimeout(late, limitMs)
  signal.addEventListener("abort", stop)
  try {
    return await Promise.race([promise, cut.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", stop)
  }
}
