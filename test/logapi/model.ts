/**
 * A runtime's log as its API shows it, in memory: what the engines' references say of tail, since and
 * follow, and nothing else. Lines are cut into parts of four bytes, so that long lines are cheap.
 */
import type { RecordRequest, RecordSource } from "../../src/logapi/source.ts"
import type { Records } from "../../src/records/block.ts"
import type { LineRules } from "../../src/records/lines.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { StreamName } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"
import { toBlocks } from "../records/blocks.ts"

export const PART_BYTES = 4

const RULES: LineRules = {
  partBytes: PART_BYTES,
  partsShareTime: true,
  crlf: false,
  limitBytes: 1_000,
}

/** A request that goes on while the log grows. */
interface Follow {
  readonly waiting: LogRecord[]
  readonly sent: LogRecord[]
  /** The connection's end, and what it ends with. */
  over: { readonly error?: unknown } | undefined
  wake: () => void
}

export class ModelLog implements RecordSource {
  readonly rules = RULES
  readonly repeats: boolean
  readonly records: LogRecord[] = []
  /** How many records have been written, those that are held no more included. */
  written = 0
  /** Engines before 24 drop every record older than `since`, not only those before the first newer one. */
  readonly #sticky: boolean
  readonly #follows = new Set<Follow>()
  /** How many records are handed over at once. */
  readonly #chunk: number
  #alive = true
  /** Whether what is written is kept from those who follow. */
  deaf = false
  /** Told of each request; what it throws, the request throws. */
  onOpen: (request: RecordRequest) => void = () => {}
  onRunning: () => void = () => {}

  constructor(sticky: boolean, chunk = Number.POSITIVE_INFINITY) {
    this.#sticky = sticky
    this.repeats = !sticky
    this.#chunk = chunk
  }

  get alive(): boolean {
    return this.#alive
  }

  /** A container that stops ends its log's follows. */
  set alive(alive: boolean) {
    this.#alive = alive
    if (!alive) this.cut()
  }

  /** How many requests are open that follow the log. */
  get following(): number {
    return this.#follows.size
  }

  async running(): Promise<boolean> {
    this.onRunning()
    return this.#alive
  }

  async *open(request: RecordRequest, signal: AbortSignal): AsyncGenerator<Records, void> {
    this.onOpen(request)
    const { records } = this
    const since = request.since ?? (this.#sticky ? request.from : undefined)
    let found = since === undefined
    const wanted = (record: LogRecord): boolean => {
      if (since === undefined || (this.#sticky && found)) return true
      found = record.timestamp >= since
      return found
    }
    const follow: Follow = { waiting: [], sent: [], over: undefined, wake: () => {} }
    follow.waiting.push(...records.slice(Math.max(0, records.length - (request.tail ?? Infinity))))
    if (request.follow && this.#alive) this.#follows.add(follow)
    else follow.over = {}
    const stop = () => follow.wake()
    signal.addEventListener("abort", stop)
    try {
      while (!signal.aborted) {
        const some = follow.waiting.splice(0, this.#chunk).filter(wanted)
        if (some.length > 0) {
          follow.sent.push(...some)
          yield* this.#inBlocks(some)
        }
        if (follow.waiting.length > 0) continue
        if (follow.over && "error" in follow.over) throw follow.over.error
        if (follow.over) return
        await new Promise<void>((resolve) => {
          follow.wake = resolve
        })
      }
    } finally {
      signal.removeEventListener("abort", stop)
      this.#follows.delete(follow)
    }
  }

  /** A block is never the first: a reader has to see a record by itself before it. */
  #inBlocks(records: readonly LogRecord[]): Records[] {
    return [records.slice(0, 1), ...toBlocks(records.slice(1))]
  }

  append(stream: StreamName, timestamp: Instant, text: string, ended: boolean): void {
    const record = { stream, timestamp, text, ended }
    this.records.push(record)
    this.written++
    if (this.deaf) return
    for (const follow of this.#follows) {
      follow.waiting.push(record)
      follow.wake()
    }
  }

  /** Drops the oldest records. Who follows has them already; from an old engine, it gets what is left again. */
  rotate(count: number): void {
    this.records.splice(0, count)
    if (!this.repeats) return
    for (const follow of this.#follows) {
      follow.waiting.push(...follow.sent.filter((record) => this.records.includes(record)))
      follow.wake()
    }
  }

  /** How many records the log holds no more. */
  get dropped(): number {
    return this.written - this.records.length
  }

  get rotated(): boolean {
    return this.dropped > 0
  }

  /** Ends all requests that follow: cleanly, as an engine does for many reasons, or with an error. */
  cut(error?: unknown): void {
    for (const follow of this.#follows) {
      follow.over = error === undefined ? {} : { error }
      follow.wake()
    }
    this.#follows.clear()
  }
}
