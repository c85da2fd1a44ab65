/** Keeps the anchor of a read that goes on, record by record. */
import type { LogRecord } from "../records/record.ts"
import type { Instant } from "../time.ts"
import type { Anchor } from "./place.ts"

/** So many records are hashed: enough to tell twins apart, few enough to be cheap. */
const HASH_DEPTH = 8

export class AnchorTracker {
  #time: Instant | undefined
  #count = 0
  /** Whether `#count` counts from a record that no earlier one in the log can match. */
  #known: boolean
  /** The last `HASH_DEPTH` records from the anchor on. Anchors share it: it never changes. */
  #records: readonly LogRecord[] = []

  /** `known`: the read begins where nothing later can lie before it: at the beginning, or at a time. */
  constructor(known: boolean) {
    this.#known = known
  }

  push(record: LogRecord): void {
    if (this.#time === undefined || record.timestamp > this.#time) {
      if (this.#time !== undefined) this.#known = true
      this.#time = record.timestamp
      this.#count = 1
      this.#records = [record]
      return
    }
    this.#count++
    this.#records = [...this.#records.slice(1 - HASH_DEPTH), record]
  }

  /** The read turned out to have begun at the log's first record. */
  trust(): void {
    this.#known = true
  }

  /** The anchor of the place behind the last record; `undefined` before the first. */
  get anchor(): Anchor | undefined {
    if (this.#time === undefined) return undefined
    return new LazyAnchor(this.#time, this.#known ? this.#count : 0, this.#records)
  }
}

/** Most places are never written down: their records are hashed only when it is asked for. */
class LazyAnchor implements Anchor {
  readonly time: Instant
  readonly count: number
  readonly #records: readonly LogRecord[]

  constructor(time: Instant, count: number, records: readonly LogRecord[]) {
    this.time = time
    this.count = count
    this.#records = records
  }

  get depth(): number {
    return this.#records.length
  }

  get hash(): string {
    return foldHashes(this.#records.map(hashRecord))
  }
}

/**
 * A record's own hash: of what it says, in whatever form it came. xxHash64 is specified, so that a cursor outlives
 * an upgrade of Bun.
 */
export function hashRecord({ stream, timestamp, text, ended }: LogRecord): bigint {
  return Bun.hash.xxHash64(
    `${timestamp} ${text}${ended ? "\n" : ""}`,
    stream === "stdout" ? 1n : 2n,
  )
}

/** One word of 52 bits for a few records' hashes. */
export function foldHashes(hashes: readonly bigint[]): string {
  const [only] = hashes
  const folded = hashes.length === 1 && only !== undefined ? only : Bun.hash.xxHash64(hashes.join())
  return BigInt.asUintN(52, folded).toString(36)
}
