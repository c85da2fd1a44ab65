/** Where a pass over records begins to hand over lines, and how it gets there. */
import type { LogRecord } from "../records/record.ts"
import { type AnchorTracker, hashRecord, isLastOf } from "./anchor.ts"
import type { Anchor, Place } from "./place.ts"

export type Origin =
  /** Behind a place. `window`: the read may begin behind it, so a record from before it must be seen. */
  | { readonly at: "place"; readonly place: Place; readonly window: boolean }
  /** Behind the only record at which these hashes end: its number in this read. */
  | { readonly at: "match"; readonly place: Place; readonly ordinal: number }
  /** At the first record. The read began in the middle of the log. */
  | { readonly at: "middle" }

/** `lost`: the place is not in this read. */
export type SeekState = "seeking" | "found" | "lost"

/** Passes over records until the last one is that at which the place's anchor ends. */
export class Seek {
  readonly #anchor: Anchor
  readonly #origin: Origin & { at: "place" | "match" }
  readonly #tracker: AnchorTracker
  #seen = 0
  /** Whether a record from before the anchor was passed over. */
  #older = false

  /** The tracker has what stands at the place, once it is found. */
  constructor(anchor: Anchor, origin: Origin & { at: "place" | "match" }, tracker: AnchorTracker) {
    this.#anchor = anchor
    this.#origin = origin
    this.#tracker = tracker
  }

  push(record: LogRecord): SeekState {
    this.#seen++
    if (this.#origin.at === "place") return this.#count(record, this.#origin.window)
    this.#tracker.push(record)
    if (this.#seen < this.#origin.ordinal) return "seeking"
    // The log may have been rotated since the record was found.
    return isLastOf(this.#anchor.hash, { hash: hashRecord(record) }) ? "found" : "lost"
  }

  /** Passes over what is older than the anchor, then counts from it to the place. */
  #count(record: LogRecord, window: boolean): SeekState {
    const { time, count, depth, hash } = this.#anchor
    if (this.#tracker.anchor === undefined) {
      if (record.timestamp < time) {
        this.#older = true
        return "seeking"
      }
      if (record.timestamp !== time || (window && !this.#older)) return "lost"
    }
    this.#tracker.push(record)
    const here = this.#tracker.anchor
    if (here?.time !== time) return "lost"
    if (here.count < count) return "seeking"
    return here.depth === depth && here.hash === hash ? "found" : "lost"
  }
}
