/**
 * Records as the bytes that they are made of, where all of them are plain: most of most logs is, and costs an
 * object neither a record nor a line.
 */
import { INSTANT_BYTES, type Instant } from "../time.ts"
import type { LogRecord } from "./record.ts"

/** Of each stream, in a block. */
export const STREAM_NUMBERS = { stdout: 1, stderr: 2 } as const

/** What a source hands over at once. */
export type Records = readonly LogRecord[] | Block

/** A time, and a blank behind it. */
const HEAD_BYTES = INSTANT_BYTES + 1

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

  constructor(bytes: Buffer, { starts, ends, streams, counts }: Columns) {
    this.bytes = bytes
    this.starts = starts
    this.ends = ends
    this.streams = streams
    this.counts = counts
    this.length = starts.length
  }

  /** Of all of them together. */
  get span(): number {
    return (this.ends[this.length - 1] as number) + 1 - (this.starts[0] as number)
  }

  timestamp(index: number): Instant {
    const start = this.starts[index] as number
    return this.bytes.toString("latin1", start, start + INSTANT_BYTES) as Instant
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
