/**
 * A block whose lines know their places: none is stamped earlier than what came before it, so that its positions say
 * which of the records of one time they are.
 */
import type * as Records from "../records/block.ts"
import { decodeUtf8 } from "../records/record.ts"
import type { Block, Line } from "../runtime.ts"
import type { Instant } from "../time.ts"
import { type AnchorTracker, formatHashes, HASH_DEPTH, hashInBlock } from "./anchor.ts"
import { type Anchor, secondDigits } from "./place.ts"
import { PlacedLine } from "./placed-line.ts"

/** `2026-08-20T12:34:56`, and where the nine digits of the fraction are. */
const SECOND_BYTES = 19
const FRACTION = { from: 20, to: 29 } as const

const ANCHOR = 0x61
/** One record of its time, and its hash alone: so are most. */
const ALONE = Buffer.from("-1-1-")

const DIGITS = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz")

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
  #second: Uint8Array = DIGITS
  readonly #before: AnchorTracker
  /** How many records before the block bear the first one's time. */
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
    const start = starts[index] as number
    let end = at
    into[end++] = ANCHOR
    const second = this.#secondOf(start)
    for (let digit = 0; digit < second.length; digit++) into[end++] = second[digit] as number
    for (let digit = FRACTION.from; digit < FRACTION.to; digit++) {
      into[end++] = bytes[start + digit] as number
    }
    const inBlock = this.#records.counts[index] as number
    const count = inBlock > index ? this.#counted + inBlock : inBlock
    if (count > 1) return this.#writeCounted(index, count, into, end)
    for (let char = 0; char < ALONE.length; char++) into[end++] = ALONE[char] as number
    return writeBase36(hashInBlock(this.#records, index), into, end)
  }

  /** Of a record behind others of its time. */
  #writeCounted(index: number, count: number, into: Uint8Array, at: number): number {
    this.#hashes ??= new Hashes(this.#records, this.#counted > 0 ? this.#before.hashes : [])
    const depth = Math.min(count, HASH_DEPTH)
    const text = `-${count.toString(36)}-${depth}-${this.#hashes.format(index, depth)}`
    for (let char = 0; char < text.length; char++) into[at + char] = text.charCodeAt(char)
    return at + text.length
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

  /** Those of a record and of the ones before it: `depth` in all. */
  format(index: number, depth: number): string {
    for (; this.#known <= index; this.#known++) {
      this.#all[this.#before + this.#known] = hashInBlock(this.#records, this.#known)
    }
    const end = this.#before + index + 1
    return formatHashes(this.#all, end - depth, end)
  }
}

/** 36³: a number of 32 bits has up to four digits before these three. */
const THREE_DIGITS = 46_656

/** An unsigned number of 32 bits; where it ends. Halves of it are small integers, and quick to divide. */
function writeBase36(value: number, into: Uint8Array, at: number): number {
  const high = (value / THREE_DIGITS) | 0
  const low = (value - high * THREE_DIGITS) | 0
  return high === 0
    ? writeDigits(low, digitsOf(low), into, at)
    : writeDigits(low, 3, into, writeDigits(high, digitsOf(high), into, at))
}

function digitsOf(value: number): number {
  return value < 36 ? 1 : value < 1_296 ? 2 : value < THREE_DIGITS ? 3 : 4
}

function writeDigits(value: number, count: number, into: Uint8Array, at: number): number {
  let rest = value
  for (let digit = at + count - 1; digit >= at; digit--) {
    const next = (rest / 36) | 0
    into[digit] = DIGITS[rest - next * 36] as number
    rest = next
  }
  return at + count
}
