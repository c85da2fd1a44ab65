/** Follows a model's log, as a client does that leaves and comes back, and checks all that comes. */
import { readLog } from "../../src/logapi/read.ts"
import { Failure } from "../../src/errors.ts"
import type { Start } from "../../src/runtime.ts"
import type { ModelLog } from "./model.ts"
import { expectPosition, TUNING } from "./reader.ts"
import type { Mark, Reception } from "./reception.ts"

interface Place {
  readonly start: Start
  readonly mark: Mark
}

export class Follower {
  readonly #log: ModelLog
  readonly #reception: Reception
  /** Where it may come back: behind everything it has got. */
  #places: Place[] = []
  #start: Start
  #leaving = new AbortController()
  #failure: unknown
  reading = false
  resumes = 0

  constructor(log: ModelLog, reception: Reception, start: Start) {
    this.#log = log
    this.#reception = reception
    this.#start = start
  }

  /** Begins to read, unless it reads already. */
  come(): void {
    if (this.reading) return
    if (this.#start.from === "position") this.resumes++
    else this.#reception.expectStart(this.#start)
    this.#leaving = new AbortController()
    this.#places = [{ start: this.#start, mark: this.#reception.mark }]
    this.reading = true
    void this.#read(this.#leaving.signal).catch((error: unknown) => {
      this.#failure = error
    })
  }

  /** Leaves, and has never got the last so many lines and positions. */
  leave(back: number): void {
    if (!this.reading) return
    this.#leaving.abort()
    this.reading = false
    const place = this.#places[Math.max(0, this.#places.length - 1 - back)]
    if (!place) return
    this.#start = place.start
    this.#reception.goBack(place.mark)
  }

  /** Throws what went wrong. */
  check(): void {
    if (this.#failure) throw this.#failure
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      for await (const batch of readLog(this.#log, this.#start, { follow: true, signal }, TUNING)) {
        if (signal.aborted) return
        this.#reception.began(this.#start)
        this.#reception.accept({ ...batch, lines: [] })
        for (const line of batch.lines) {
          this.#reception.take(line)
          this.#keep(line.position)
        }
        this.#keep(batch.position)
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "runtime_unavailable") throw error
    }
    // A read that was left may still end, while the next one is on its way.
    if (!signal.aborted) this.reading = false
  }

  #keep(position: string): void {
    expectPosition(position)
    this.#start = { from: "position", position }
    this.#places.push({ start: this.#start, mark: this.#reception.mark })
  }
}
