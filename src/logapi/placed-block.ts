/**
 * A block whose lines know their places: each is counted from the first record that is stamped as late as any before
 * it, as an anchor is.
 */
import { kernels } from "../kernels/kernels.ts"
import { Room, takeOut, takeWords } from "../kernels/room.ts"
import type * as Records from "../records/block.ts"
import { decodeUtf8 } from "../records/record.ts"
import type { Block, Line, Positions } from "../runtime.ts"
import type { Instant } from "../time.ts"
import type { AnchorTracker } from "./anchor.ts"
import type { Anchor } from "./place.ts"
import { PlacedLine } from "./placed-line.ts"

/** Of a position that is an anchor: a letter, a time, two numbers and two hashes in base 36, and what is between them. */
const POSITION_BYTES = 48

const WORD_BYTES = 4

export class PlacedBlock implements Block {
  readonly length: number
  readonly bytes: Buffer
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly streams: Uint8Array
  readonly #records: Records.Block
  #lines: readonly Line[] | undefined
  readonly #before: AnchorTracker
  /** How many records before the block those from its first one on are counted with. */
  readonly #counted: number

  /** `before` has met all that stands before them. */
  constructor(records: Records.Block, before: AnchorTracker) {
    this.length = records.length
    this.bytes = records.bytes
    this.starts = records.starts
    this.ends = records.ends
    this.streams = records.streams
    this.#records = records
    this.#before = before
    this.#counted = before.countOf(records.record(0).timestamp) ?? 0
  }

  /** The time of the first one. */
  get first(): Instant {
    return this.#records.record(0).timestamp
  }

  /** Each as an object, for whoever needs it. */
  get lines(): readonly Line[] {
    return (this.#lines ??= this.#toLines())
  }

  /** Each as `formatPlace` says it. */
  positions(): Positions {
    const { length } = this
    const room = new Room()
    const before = this.#counted > 0 ? this.#before.hashes : []
    const block = room.putBlock(this, this.#records.counts)
    const hashes = room.put(Uint32Array.from(before), length * WORD_BYTES)
    const out = room.reserve(length * POSITION_BYTES)
    const outEnds = room.reserve(length * WORD_BYTES)
    const end = kernels.writePositions(block, this.#counted, hashes, before.length, out, outEnds)
    return { bytes: takeOut(out, end), ends: takeWords(outEnds, length) }
  }

  #toLines(): readonly Line[] {
    const tracker = this.#before.fork()
    return this.#records.records().map((record) => {
      tracker.push(record)
      const message = decodeUtf8(record.text)
      const { stream, timestamp } = record
      const place = { base: tracker.anchor as Anchor, lines: 0 }
      return new PlacedLine({ stream, timestamp, message, partial: false }, place)
    })
  }
}
