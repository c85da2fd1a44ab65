/** Keeps the anchor of a read that goes on, record by record. */
import type { LogRecord } from "../records/record.ts"
import type { Instant } from "../time.ts"
import type { Anchor } from "./place.ts"

/** So many records are hashed: enough to tell twins apart, few enough to be cheap. */
export const HASH_DEPTH = 8

export class AnchorTracker {
  /** The first record that is stamped as late as any before it. */
  #first: LogRecord | undefined
  /** The last `HASH_DEPTH` records from it on, if it is not alone. Anchors share it: it never changes. */
  #records: readonly LogRecord[] | undefined
  #count = 0
  /** Whether `#count` counts from a record that no earlier one in the log can match. */
  #known: boolean

  /** `known`: the read begins where nothing later can lie before it: at the beginning, or at a time. */
  constructor(known: boolean) {
    this.#known = known
  }

  push(record: LogRecord): void {
    const first = this.#first
    if (first === undefined || record.timestamp > first.timestamp) {
      if (first !== undefined) this.#known = true
      this.#first = record
      this.#records = undefined
      this.#count = 1
      return
    }
    this.#count++
    this.#records = [...(this.#records ?? [first]).slice(1 - HASH_DEPTH), record]
  }

  /** The read turned out to have begun at the log's first record. */
  trust(): void {
    this.#known = true
  }

  /** The anchor of the place behind the last record; `undefined` before the first. */
  get anchor(): Anchor | undefined {
    const first = this.#first
    return first && new LazyAnchor(this.#known ? this.#count : 0, first, this.#records)
  }
}

/** Most places are never written down: their records are hashed only when it is asked for. */
class LazyAnchor implements Anchor {
  readonly kind = "anchor"
  readonly count: number
  readonly #first: LogRecord
  readonly #records: readonly LogRecord[] | undefined

  constructor(count: number, first: LogRecord, records: readonly LogRecord[] | undefined) {
    this.count = count
    this.#first = first
    this.#records = records
  }

  get time(): Instant {
    return this.#first.timestamp
  }

  get depth(): number {
    return this.#records?.length ?? 1
  }

  get hash(): string {
    if (!this.#records) return foldHashes([hashRecord(this.#first)])
    return foldHashes(this.#records.map(hashRecord))
  }
}

/**
 * A record's own hash: of what it says, in whatever form it came. xxHash32 is specified, so that a cursor outlives
 * an upgrade of Bun; a longer one would be a bigint, and cost more than all else that is done for a line.
 */
export function hashRecord({ stream, timestamp, text, ended }: LogRecord): number {
  return Bun.hash.xxHash32(`${timestamp} ${text}${ended ? "\n" : ""}`, stream === "stdout" ? 1 : 2)
}

/** One word of 32 bits for a few records' hashes. */
export function foldHashes(hashes: readonly number[]): string {
  const [only = 0] = hashes
  return (hashes.length === 1 ? only : Bun.hash.xxHash32(hashes.join())).toString(36)
}
