/** Keeps the anchor of a read that goes on, record by record. */
import type { LogRecord } from "../records/record.ts"
import { STREAM_NUMBERS } from "../records/block.ts"
import type { Instant } from "../time.ts"
import type { Anchor } from "./place.ts"

/** So many records are hashed: enough to tell twins apart, few enough to be cheap. */
export const HASH_DEPTH = 8

export class AnchorTracker {
  /** The first record that is stamped as late as any before it. */
  #first: LogRecord | undefined
  /** The last `HASH_DEPTH` records from it on, if it is not alone. Anchors share it: it never changes. */
  #records: readonly HashedRecord[] | undefined
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
    const before = this.#records ?? [new HashedRecord(first)]
    this.#records = [...before.slice(1 - HASH_DEPTH), new HashedRecord(record)]
  }

  /** How many of the records so far bear a time, none being stamped later; `undefined`: one is, or nobody can tell. */
  countOf(time: Instant): number | undefined {
    if (this.#first === undefined || time < this.#first.timestamp) return undefined
    if (time > this.#first.timestamp) return 0
    return this.#known ? this.#count : undefined
  }

  /** Of the last `HASH_DEPTH` records that bear the latest time. */
  get hashes(): readonly number[] {
    const alone = this.#first && [{ hash: hashRecord(this.#first) }]
    return (this.#records ?? alone ?? []).map(({ hash }) => hash)
  }

  /** As it is now, whatever this one meets later. */
  fork(): AnchorTracker {
    const fork = new AnchorTracker(this.#known)
    fork.#first = this.#first
    fork.#records = this.#records
    fork.#count = this.#count
    return fork
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

/** A record that is hashed once, and only if somebody asks: many places may have it among their last ones. */
class HashedRecord {
  readonly #record: LogRecord
  #hash: number | undefined

  constructor(record: LogRecord) {
    this.#record = record
  }

  get hash(): number {
    return (this.#hash ??= hashRecord(this.#record))
  }
}

/** Most places are never written down: they are hashed only when it is asked for. */
class LazyAnchor implements Anchor {
  readonly kind = "anchor"
  readonly count: number
  readonly #first: LogRecord
  readonly #records: readonly HashedRecord[] | undefined

  constructor(count: number, first: LogRecord, records: readonly HashedRecord[] | undefined) {
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
    return foldHashes(this.#records ?? [{ hash: hashRecord(this.#first) }])
  }
}

/**
 * A record's own hash: of what it says, in whatever form it came. xxHash32 is specified, so that a cursor outlives
 * an upgrade of Bun; a longer one would be a bigint, and cost more than all else that is done for a line.
 */
export function hashRecord({ stream, timestamp, text, ended }: LogRecord): number {
  const said = `${timestamp} ${text}${ended ? "\n" : ""}`
  // As text it would be hashed in UTF-8: only of ASCII are these the same bytes.
  const isAscii = Buffer.byteLength(said) === said.length
  return Bun.hash.xxHash32(isAscii ? said : Buffer.from(said, "latin1"), STREAM_NUMBERS[stream])
}

/** FNV's prime: 2^24 + 2^8 + 0x93. */
const PRIME = 0x01000193

/**
 * A few records' hashes in their order: one word of 32 bits for all but the last, and that one's own, so that it is
 * known again where those before it are gone.
 */
export function foldHashes(hashed: readonly { readonly hash: number }[]): string {
  const hashes = hashed.map(({ hash }) => hash)
  const last = hashes.length - 1
  const own = (hashes[last] as number).toString(36)
  if (last === 0) return own
  let folded = 0
  for (const hash of hashes.slice(0, last)) folded = Math.imul(folded, PRIME) ^ hash
  return `${(folded >>> 0).toString(36)}_${own}`
}

/** Whether a record is the last of those that an anchor's hash stands for. */
export function isLastOf(hash: string, record: { readonly hash: number }): boolean {
  return hash.slice(hash.indexOf("_") + 1) === foldHashes([record])
}
