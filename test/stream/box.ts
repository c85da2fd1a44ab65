/** A container of a world: its log, and who writes it. */
import type { Member } from "../../src/apps/app.ts"
import type { StreamName } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"
import { Writer } from "../logapi/history.ts"
import { ModelLog } from "../logapi/model.ts"

export interface Write {
  readonly stream: StreamName
  readonly end: "part" | "feed" | "torn"
  /** Nanoseconds by which the container's clock lags behind. */
  readonly back: number
  /** Milliseconds from the stamp to when it can be read. */
  readonly lagMs: number
}

export class Box {
  readonly id: string
  readonly log = new ModelLog(true, 3)
  readonly writer = new Writer(this.log)
  /** Nanoseconds. */
  readonly createdAt: number
  readonly #service: string
  readonly #needs: string | undefined
  /** Records that cannot be read yet. */
  readonly #waiting: (() => void)[] = []
  removed = false

  constructor(number: number, createdAt: number, service: string, needs?: string) {
    this.id = number.toString(16).padStart(12, "0").padEnd(64, "c")
    this.createdAt = createdAt
    this.#service = service
    this.#needs = needs
    this.log.alive = false
  }

  /** The container as the runtime tells of it now. */
  get member(): Member {
    return {
      app: "shop",
      service: this.#service,
      ...(this.#needs !== undefined && { needs: this.#needs }),
      container: {
        id: this.id,
        name: `shop-${this.id.slice(0, 12)}`,
        labels: {},
        state: this.log.alive ? "running" : "exited",
        createdAt: toInstant(BigInt(this.createdAt)),
        guarantee: { level: "exact", source: "api", reason: "" },
      },
    }
  }

  /** Stamps a record at `now`. A log is one: what comes behind a record that lags waits for it. */
  write({ stream, end, back, lagMs }: Write, now: number): void {
    const append = () => {
      this.writer.clock = now - back
      this.writer.record({ stream, end, tick: 0 })
    }
    if (lagMs === 0 && this.#waiting.length === 0) return append()
    this.#waiting.push(append)
    setTimeout(() => this.#waiting.shift()?.(), lagMs)
  }

  stop(): void {
    this.#settle()
    this.writer.stop()
  }

  remove(): void {
    this.stop()
    this.removed = true
  }

  /** All that was written can be read: a log is closed before its container is said to have stopped. */
  #settle(): void {
    for (const append of this.#waiting.splice(0)) append()
  }
}
