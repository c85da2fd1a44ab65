/**
 * Records as the bytes that they are made of, where all of them are plain: most of most logs is, and costs an
 * object neither a record nor a line.
 */
import { INSTANT_BYTES, type Instant } from "../time.ts"
import type { LogRecord } from "./record.ts"

/** Of each stream, in a block. */
export const STREAM_NUMBERS = { stdout: 1, stderr: 2 } as const

/** Added to a stream: the line goes on in the next record, which is of the same stream. */
const OPEN = 4

/** What a source hands over at once. */
export type Records = readonly LogRecord[] | Block

/** A time, and a blank behind it. */
const HEAD_BYTES = INSTANT_BYTES + 1

/** Fewer records are not worth a block. */
export const LEAST_RECORDS = 16

/** Plain are records of valid UTF-8 without any control character but tab, each a line, or together whole lines. */
export class Block {
  readonly length: number
  /** How many lines its records are. */
  readonly lines: number
  /** Of each record: its time, a blank, its text, a line feed. Other bytes may stand between records. */
  readonly bytes: Buffer
  /** Where each record's time begins. */
  readonly starts: Int32Array
  /** Where each record's line feed stands. */
  readonly ends: Int32Array
  /** In `STREAM_NUMBERS`, perhaps with `OPEN`. */
  readonly streams: Uint8Array
  /** How many records there are from the first that bears the latest time so far, up to each one: both included. */
  readonly counts: Int32Array

  constructor(bytes: Buffer, { starts, ends, streams, counts, lines }: Columns) {
    this.bytes = bytes
    this.starts = starts
    this.ends = ends
    this.streams = streams
    this.counts = counts
    this.length = starts.length
    this.lines = lines
  }

  /** Of all of them together. */
  get span(): number {
    return (this.ends[this.length - 1] as number) + 1 - (this.starts[0] as number)
  }

  /** Whether a line goes on behind a record. */
  isOpen(index: number): boolean {
    return ((this.streams[index] as number) & OPEN) !== 0
  }

  timestamp(index: number): Instant {
    const start = this.starts[index] as number
    return this.bytes.toString("latin1", start, start + INSTANT_BYTES) as Instant
  }

  record(index: number): LogRecord {
    const { bytes, starts, ends, streams } = this
    const raw = bytes.toString("latin1", starts[index], ends[index])
    return {
      stream: ((streams[index] as number) & STREAM_NUMBERS.stderr) === 0 ? "stdout" : "stderr",
      timestamp: raw.slice(0, INSTANT_BYTES) as Instant,
      text: raw.slice(HEAD_BYTES),
      ended: !this.isOpen(index),
    }
  }

  records(): LogRecord[] {
    return Array.from({ length: this.length }, (_, index) => this.record(index))
  }
}

type Columns = Pick<Block, "starts" | "ends" | "streams" | "counts" | "lines">

export function recordsOf(records: Records): readonly LogRecord[] {
  return records instanceof Block ? records.records() : records
}
