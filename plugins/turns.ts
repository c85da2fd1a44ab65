/** Does what many ask for at once as seldom as may be: each gets an answer to a question begun after it asked. */
export class Turns<T> {
  readonly #work: () => Promise<T>
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  constructor(work: () => Promise<T>) {
    this.#work = work
  }

  /** Rejects when the signal is aborted; the work goes on for the others. */
  async take(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(signal.reason)
    signal.addEventListener("abort", abort)
    try {
      return await Promise.race([this.#join(), aborted.promise])
    } finally {
      signal.removeEventListener("abort", abort)
    }
  }

  #join(): Promise<T> {
    if (this.#running === undefined) {
      const running = this.#work().finally(() => {
        this.#running = undefined
      })
      this.#running = running
      return running
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#join()
      })
    return this.#next
  }
}
