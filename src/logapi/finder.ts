import type { LogRecord } from "../records/record.ts"
import { foldHashes, hashRecord } from "./anchor.ts"
import type { Anchor } from "./place.ts"

/** Looks through a whole read for the one place at which an anchor's hashes end. */
export class Finder {
  readonly #anchor: Anchor
  readonly #hashes: bigint[] = []
  #seen = 0
  /** The number of the record (from 1) at each match. */
  readonly matches: number[] = []

  constructor(anchor: Anchor) {
    this.#anchor = anchor
  }

  push(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#seen++
      this.#hashes.push(hashRecord(record))
      if (this.#hashes.length > this.#anchor.depth) this.#hashes.shift()
      if (this.#hashes.length < this.#anchor.depth) continue
      if (foldHashes(this.#hashes) === this.#anchor.hash) this.matches.push(this.#seen)
    }
  }
}
