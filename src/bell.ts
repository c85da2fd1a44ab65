/** Counts what happens, and wakes whoever waits for more to have happened than it has seen. */
export class Bell {
  #count = 0
  readonly #waiting = new Set<() => void>()

  get count(): number {
    return this.#count
  }

  ring(): void {
    this.#count++
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  /** Calls it when it rings next. */
  once(wake: () => void): void {
    this.#waiting.add(wake)
  }

  cancel(wake: () => void): void {
    this.#waiting.delete(wake)
  }

  /** Resolves once it has rung more than `count` times, when the signal is aborted, or after `ms`. */
  async past(count: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#count > count || signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", wake)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal.addEventListener("abort", wake)
      this.#waiting.add(wake)
    })
  }
}
