/** Does what many ask for at once as seldom as may be: each gets an answer to a question begun after it asked. */
export class Turns<T> {
  readonly #work: () => Promise<T>
  readonly #patienceMs: number
  #begun = 0
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  /** Whoever has waited for so long for another's question to fail is not made to wait for the same once more. */
  constructor(work: () => Promise<T>, patienceMs = 5_000) {
    this.#work = work
    this.#patienceMs = patienceMs
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
      this.#begun = performance.now()
      const running = this.#work().finally(() => {
        this.#running = undefined
      })
      this.#running = running
      return running
    }
    const again = () => {
      this.#next = undefined
      return this.#join()
    }
    this.#next ??= this.#running.then(again, (error: unknown) => {
      if (performance.now() - this.#begun < this.#patienceMs) return again()
      this.#next = undefined
      throw error
    })
    return this.#next
  }
}
