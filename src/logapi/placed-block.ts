/**
 * A block whose lines know their places: each is counted from the first record that is stamped as late as any before
 * it, as an anchor is.
 */
import type * as Records from "../records/block.ts"
import { decodeUtf8 } from "../records/record.ts"
import type { Block, Line } from "../runtime.ts"
import type { Instant } from "../time.ts"
import { type AnchorTracker, foldRange, HASH_DEPTH, hashInBlock } from "./anchor.ts"
import { writeBase36 } from "./base36.ts"
import { type Anchor, secondDigits } from "./place.ts"
import { PlacedLine } from "./placed-line.ts"

/** `2026-08-20T12:34:56`, and where the nine digits of the fraction are. */
const SECOND_BYTES = 19
const FRACTION = { from: 20, to: 29 } as const

const ANCHOR = 0x61
/** One record of its time, and its hash alone: so are most. */
const ALONE = Buffer.from("-1-1-")

const DASH = 0x2d
const UNDERSCORE = 0x5f

const NOTHING = new Uint8Array()

export class PlacedBlock implements Block {
  readonly length: number
  readonly bytes: Buffer
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly streams: Uint8Array
  readonly #records: Records.Block
  #lines: readonly Line[] | undefined
  /** Where the last second stands that was written down, and its digits. */
  #secondAt = -1
  #second: Uint8Array = NOTHING
  readonly #before: AnchorTracker
  /** How many records before the block those from its first one on are counted with. */
  readonly #counted: number
  #hashes: Hashes | undefined

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

  /** As `formatPlace` says it. */
  writePosition(index: number, into: Uint8Array, at: number): number {
    const { bytes, starts } = this
    const inBlock = this.#records.counts[index] as number
    const start = starts[index + 1 - inBlock] as number
    let end = at
    into[end++] = ANCHOR
    const second = this.#secondOf(start)
    for (let digit = 0; digit < second.length; digit++) into[end++] = second[digit] as number
    for (let digit = FRACTION.from; digit < FRACTION.to; digit++) {
      into[end++] = bytes[start + digit] as number
    }
    const count = inBlock > index ? this.#counted + inBlock : inBlock
    if (count > 1) return this.#writeCounted(index, count, into, end)
    for (let char = 0; char < ALONE.length; char++) into[end++] = ALONE[char] as number
    return writeBase36(hashInBlock(this.#records, index), into, end)
  }

  /** Of a record behind others of its time. */
  #writeCounted(index: number, count: number, into: Uint8Array, at: number): number {
    this.#hashes ??= new Hashes(this.#records, this.#counted > 0 ? this.#before.hashes : [])
    const depth = Math.min(count, HASH_DEPTH)
    let end = at
    into[end++] = DASH
    end = writeBase36(count, into, end)
    into[end++] = DASH
    end = writeBase36(depth, into, end)
    into[end++] = DASH
    return this.#hashes.write(index, depth, into, end)
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

  #secondOf(start: number): Uint8Array {
    if (this.#secondAt < 0 || !this.#isSameSecond(start, this.#secondAt)) {
      const second = this.bytes.toString("latin1", start, start + SECOND_BYTES)
      this.#second = Buffer.from(secondDigits(second))
      this.#secondAt = start
    }
    return this.#second
  }

  #isSameSecond(start: number, other: number): boolean {
    const { bytes } = this
    // What differs is at the end, mostly.
    for (let index = SECOND_BYTES - 1; index >= 0; index--) {
      if (bytes[start + index] !== bytes[other + index]) return false
    }
    return true
  }
}

/** Of a block's records, as far as somebody has asked, behind those of the records before it. */
class Hashes {
  readonly #records: Records.Block
  readonly #all: Uint32Array
  readonly #before: number
  #known = 0

  constructor(records: Records.Block, before: readonly number[]) {
    this.#records = records
    this.#before = before.length
    this.#all = new Uint32Array(before.length + records.length)
    this.#all.set(before)
  }

  /** Those of a record and of the ones before it, `depth` in all, as `foldHashes` says them. */
  write(index: number, depth: number, into: Uint8Array, at: number): number {
    for (; this.#known <= index; this.#known++) {
      this.#all[this.#before + this.#known] = hashInBlock(this.#records, this.#known)
    }
    const last = this.#before + index
    const end = writeBase36(foldRange(this.#all, last + 1 - depth, last), into, at)
    into[end] = UNDERSCORE
    return writeBase36(this.#all[last] as number, into, end + 1)
  }
}
