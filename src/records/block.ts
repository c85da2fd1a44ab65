/**
 * Records as the bytes that they are made of, where all of them are plain: most of most logs is, and costs an
 * object neither a record nor a line.
 */
import { isUtf8 } from "node:buffer"
import { STREAM_NUMBERS } from "../runtime.ts"
import { INSTANT_BYTES, type Instant } from "../time.ts"
import type { LogRecord } from "./record.ts"

/** What a source hands over at once. */
export type Records = readonly LogRecord[] | Block

/** A time, and a blank behind it. */
export const HEAD_BYTES = INSTANT_BYTES + 1

/** Fewer records are not worth a block. */
export const LEAST_RECORDS = 16

/** Plain are records that are whole lines, of valid UTF-8 without any control character but tab. */
export class Block {
  readonly length: number
  /** Of each record: its time, a blank, its text, a line feed. Other bytes may stand between records. */
  readonly bytes: Buffer
  /** Where each record's time begins. */
  readonly starts: Int32Array
  /** Where each record's line feed stands. */
  readonly ends: Int32Array
  /** In `STREAM_NUMBERS`. */
  readonly streams: Uint8Array
  /** How many records there are from the first that bears the latest time so far, up to each one: both included. */
  readonly counts: Int32Array

  constructor(bytes: Buffer, { starts, ends, streams, counts }: Columns, from: number, to: number) {
    this.bytes = bytes
    this.starts = starts.subarray(from, to)
    this.ends = ends.subarray(from, to)
    this.streams = streams.subarray(from, to)
    this.counts = counts.subarray(from, to)
    this.length = to - from
  }

  record(index: number): LogRecord {
    const { bytes, starts, ends, streams } = this
    const raw = bytes.toString("latin1", starts[index], ends[index])
    return {
      stream: streams[index] === STREAM_NUMBERS.stderr ? "stderr" : "stdout",
      timestamp: raw.slice(0, INSTANT_BYTES) as Instant,
      text: raw.slice(HEAD_BYTES),
      ended: true,
    }
  }

  records(): LogRecord[] {
    return Array.from({ length: this.length }, (_, index) => this.record(index))
  }
}

type Columns = Pick<Block, "starts" | "ends" | "streams" | "counts">

export function recordsOf(records: Records): readonly LogRecord[] {
  return records instanceof Block ? records.records() : records
}

/** Gathers plain records that stand in, or are written to, some bytes: by and by several blocks of them. */
export class BlockBuilder {
  readonly bytes: Buffer
  readonly #columns: Columns
  #begin = 0
  #length = 0

  /** For so many records at most, in all. */
  constructor(bytes: Buffer, most: number) {
    this.bytes = bytes
    this.#columns = {
      starts: new Int32Array(most),
      ends: new Int32Array(most),
      streams: new Uint8Array(most),
      counts: new Int32Array(most),
    }
  }

  /** Behind the last record. */
  get end(): number {
    return this.#length === 0 ? 0 : (this.#columns.ends[this.#length - 1] as number) + 1
  }

  /**
   * A record: `start` is that of its time, `end` its line feed. Whoever adds it has looked for control characters.
   * False: it is no part of this block.
   */
  add(start: number, end: number, stream: number, isAscii: boolean): boolean {
    const { bytes } = this
    const { starts, ends, streams, counts } = this.#columns
    const length = this.#length
    if (length === starts.length || end >= bytes.length) return false
    if (!isAscii && !isUtf8(bytes.subarray(start, end))) return false
    starts[length] = start
    ends[length] = end
    streams[length] = stream
    const counted = length > this.#begin ? (counts[length - 1] as number) : 0
    const isLatest = counted === 0 || isLater(bytes, start, starts[length - counted] as number)
    counts[length] = isLatest ? 1 : counted + 1
    this.#length++
    return true
  }

  /** What has been gathered since the last time; `undefined`: nothing. */
  take(): Block | undefined {
    const [from, to] = [this.#begin, this.#length]
    if (from === to) return undefined
    this.#begin = to
    return new Block(this.bytes, this.#columns, from, to)
  }
}

/** Whether the time that stands at `at` is later than the one at `other`. */
function isLater(bytes: Uint8Array, at: number, other: number): boolean {
  for (let index = 0; index < INSTANT_BYTES; index++) {
    const difference = (bytes[at + index] as number) - (bytes[other + index] as number)
    if (difference !== 0) return difference > 0
  }
  return false
}

/**
 * Where a text that begins at `from` stops to be plain, mostly at its line feed; `~` of that, if not all of it is ASCII.
 * A line feed has to stand somewhere behind it.
 */
export function endOfText(bytes: Buffer, from: number): number {
  let isAscii = true
  for (let at = from; ; at++) {
    while (KINDS[bytes[at] as number] === KIND.ascii) at++
    const byte = bytes[at] as number
    const isControl = byte === C1 && (bytes[at + 1] as number) <= LAST_C1
    if (KINDS[byte] === KIND.stop || isControl) return isAscii ? at : ~at
    isAscii = false
  }
}

/** Of each byte: whether it is part of a plain text. */
export const KIND = { stop: 0, ascii: 1, wide: 2 } as const

/** C1 controls are the first of these bytes, and one up to the second behind it. */
export const [C1, LAST_C1] = [0xc2, 0x9f]

export const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return KIND.wide
  return (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 ? KIND.ascii : KIND.stop
})
