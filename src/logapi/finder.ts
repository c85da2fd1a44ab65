import type { LogRecord } from "../records/record.ts"
import { foldHashes, HASH_DEPTH, hashRecord, isLastOf } from "./anchor.ts"
import type { Anchor } from "./place.ts"
import type { Instant } from "../time.ts"

/** Looks through a whole read for the one place at which an anchor's hashes end. */
export class Finder {
  readonly #anchor: Anchor
  readonly #last: { readonly time: Instant; readonly hash: number }[] = []
  #seen = 0
  /** The number of the record (from 1) at each match. */
  readonly matches: number[] = []
  /** Of each that is like the anchor's last record, whatever stands before it. */
  readonly lasts: number[] = []

  constructor(anchor: Anchor) {
    this.#anchor = anchor
  }

  push(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#seen++
      const here = { time: record.timestamp, hash: hashRecord(record) }
      this.#last.push(here)
      if (this.#last.length > this.#anchor.depth) this.#last.shift()
      if (this.#isMatch()) this.matches.push(this.#seen)
      const { time, hash } = this.#anchor
      if (here.time === time && isLastOf(hash, here)) this.lasts.push(this.#seen)
    }
  }

  /** Among millions of records a hash of 32 bits may have a twin: the times must be right, too. */
  #isMatch(): boolean {
    const { time, depth, hash } = this.#anchor
    const [first] = this.#last
    if (!first || this.#last.length < depth) return false
    const isTime = depth < HASH_DEPTH ? first.time === time : first.time <= time
    return isTime && foldHashes(this.#last) === hash
  }
}
