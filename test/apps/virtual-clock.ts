/** Time that passes when a test says so. */
import type { Clock } from "../../src/apps/clock.ts"

interface Wait {
  readonly at: number
  readonly end: () => void
}

export class VirtualClock implements Clock {
  #now = 0
  #waits: Wait[] = []

  /** How many waits have not ended. */
  get pending(): number {
    return this.#waits.length
  }

  now(): number {
    return this.#now
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = () => {
        this.#waits = this.#waits.filter((other) => other !== wait)
        signal.removeEventListener("abort", end)
        resolve()
      }
      const wait = { at: this.#now + ms, end }
      this.#waits.push(wait)
      signal.addEventListener("abort", end)
    })
  }

  /** Lets `ms` pass; everything that becomes due is done, with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms
    await settle()
    for (;;) {
      const due = this.#waits.filter((wait) => wait.at <= target).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#now = due.at
      due.end()
      await settle()
    }
    this.#now = target
  }
}

/** Resolves when every promise that can settle without time or I/O has. */
export function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
