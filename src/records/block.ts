/**
 * Records as the bytes that they are made of, where all of them are plain: most of most logs is, and costs an
 * object neither a record nor a line.
 */
import { type Columns, copyOf, forget, type Tenant } from "../kernels/room.ts"
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
export class Block implements Tenant {
  readonly length: number
  /** How many lines its records are. */
  readonly lines: number
  #columns: Columns | undefined

  /**
   * `bytes`: of each record its time, a blank, its text, a line feed; others may stand between records. `starts`: where
   * each record's time begins. `ends`: where each record's line feed stands. `streams`: in `STREAM_NUMBERS`, perhaps
   * with `OPEN`. `counts`: how many records there are from the first that bears the latest time so far, up to each one,
   * both included. All of these may be where they are to be taken from when it leaves.
   */
  constructor(columns: Columns, lines: number) {
    this.#columns = columns
    this.length = columns.starts.length
    this.lines = lines
  }

  get columns(): Columns {
    if (!this.#columns) throw new Error("nothing is left of the block")
    return this.#columns
  }

  leave(): void {
    this.#columns = copyOf(this.columns)
  }

  /** Nobody needs it any more, so that no copy of it need be made. */
  release(): void {
    this.#columns = undefined
    forget(this)
  }

  /** Of all of them together. */
  get span(): number {
    const { starts, ends } = this.columns
    return (ends[this.length - 1] as number) + 1 - (starts[0] as number)
  }

  /** Whether a line goes on behind a record. */
  isOpen(index: number): boolean {
    return ((this.columns.streams[index] as number) & OPEN) !== 0
  }

  /** How many bear the latest time so far, from the first of them up to this one. */
  count(index: number): number {
    return this.columns.counts[index] as number
  }

  /** The first that is stamped as late as any. */
  get latestAt(): number {
    return this.length - this.count(this.length - 1)
  }

  get latest(): Instant {
    return this.timestamp(this.latestAt)
  }

  timestamp(index: number): Instant {
    const { bytes, starts } = this.columns
    const start = starts[index] as number
    return bytes.toString("latin1", start, start + INSTANT_BYTES) as Instant
  }

  record(index: number): LogRecord {
    const { bytes, starts, ends, streams } = this.columns
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

export function recordsOf(records: Records): readonly LogRecord[] {
  return records instanceof Block ? records.records() : records
}
