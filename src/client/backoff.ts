/** How long to wait before another try: twice as long each time, up to a bound, and not when all others do. */

export interface BackoffOptions {
  readonly firstMs: number
  readonly mostMs: number
}

const USUAL: BackoffOptions = { firstMs: 250, mostMs: 10_000 }

export class Backoff {
  readonly #options: BackoffOptions
  #ms: number

  constructor(options: BackoffOptions = USUAL) {
    this.#options = options
    this.#ms = options.firstMs
  }

  reset(): void {
    this.#ms = this.#options.firstMs
  }

  /** In milliseconds, from half of it to all of it; never less than what was asked for, within the bound. */
  next(askedMs = 0): number {
    const { mostMs } = this.#options
    const ms = Math.min(mostMs, Math.max(this.#ms, askedMs))
    this.#ms = Math.min(mostMs, this.#ms * 2)
    return Math.max(Math.min(askedMs, mostMs), ms * (0.5 + Math.random() / 2))
  }
}

/** Rejects when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new Error("it is to end"))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
  })
}
