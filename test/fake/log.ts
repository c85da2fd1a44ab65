/**
 * A container's log as the engine stores it: records of both streams in one order, the copier that
 * makes records of a process's output, and the choice of records that a request gets.
 */
import { isUtf8 } from "node:buffer"
import type { StreamName } from "../../src/runtime.ts"

/** Longer lines are stored in parts of this many bytes. */
const RECORD_LIMIT = 16_384
const NEWLINE = 10
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const

export interface StoredRecord {
  readonly stream: StreamName
  /** Nanoseconds since 1970. */
  readonly ns: bigint
  /** Ends in a newline, but for the parts of a line that goes on. */
  readonly bytes: Uint8Array
}

/** One run of the container's main process: a follower that joined in it ends with it. */
export interface Run {
  /** The index behind its last record; absent while it goes on. */
  end?: number
}

export interface Selection {
  /** Nanoseconds, inclusive. */
  readonly since?: bigint
  /** Nanoseconds, inclusive. */
  readonly until?: bigint
  /** The last so many records of both streams, chosen before `since`; absent or negative: all. */
  readonly tail?: number
}

export class Log {
  /** Indexes are counted from the container's first record on, and survive rotation. */
  #records: StoredRecord[] = []
  #first = 0
  readonly #waiting = new Set<() => void>()

  get first(): number {
    return this.#first
  }

  get end(): number {
    return this.#first + this.#records.length
  }

  at(index: number): StoredRecord | undefined {
    return this.#records[index - this.#first]
  }

  add(record: StoredRecord): void {
    this.#records.push(record)
    this.wake()
  }

  /** Drops the oldest `count` records, as a rotation does. */
  rotate(count: number): void {
    const dropped = Math.min(count, this.#records.length)
    this.#records = this.#records.slice(dropped)
    this.#first += dropped
  }

  /** The records that `tail` leaves of what is stored now. */
  tail(count: number | undefined): readonly StoredRecord[] {
    if (count === undefined || count < 0) return this.#records.slice()
    return count === 0 ? [] : this.#records.slice(-count)
  }

  /** Lets everybody look again who waits for something to happen to the log. */
  wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  /** Waits for the next `wake`, or the signal. */
  async changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const resume = () => {
        this.#waiting.delete(resume)
        signal.removeEventListener("abort", resume)
        resolve()
      }
      this.#waiting.add(resume)
      signal.addEventListener("abort", resume, { once: true })
    })
  }
}

/**
 * What `since` and `until` let through. Up to 23.0 `since` was asked of every record; from 24.0 on
 * (API 1.43) everything passes behind the first record that is late enough.
 */
export class Forwarder {
  #since: bigint | undefined
  readonly #until: bigint | undefined
  readonly #sticky: boolean

  constructor(selection: Selection, sticky: boolean) {
    this.#since = selection.since
    this.#until = selection.until
    this.#sticky = sticky
  }

  judge(record: StoredRecord): "send" | "skip" | "end" {
    if (this.#since !== undefined && record.ns < this.#since) return "skip"
    if (this.#sticky) this.#since = undefined
    return this.#until !== undefined && record.ns > this.#until ? "end" : "send"
  }
}

export interface CopierOptions {
  readonly stream: StreamName
  readonly clock: () => bigint
  /** json-file stores text, so that invalid UTF-8 is lost; `local` stores bytes. */
  readonly text: boolean
  /** The `local` driver up to 20.10 forgot the newline behind the last part of a long line. */
  readonly losesLastNewline: boolean
  readonly store: (record: StoredRecord) => void
}

/** Makes records of one stream of one run, as moby's copier does. */
export class Copier {
  #pending: Uint8Array = new Uint8Array()
  /** The stamp of a long line's first part, which all of its parts get. */
  #partStamp: bigint | undefined
  readonly #options: CopierOptions

  constructor(options: CopierOptions) {
    this.#options = options
  }

  /** Output that neither ends a line nor fills a record stays pending, and out of the log. */
  push(output: Uint8Array, ns?: bigint): void {
    const bytes = Buffer.concat([this.#pending, output])
    let start = 0
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, start)
      const end = newline < 0 ? bytes.length : newline
      if (end - start >= RECORD_LIMIT) {
        this.#part(bytes.subarray(start, start + RECORD_LIMIT), ns)
        start += RECORD_LIMIT
      } else if (newline < 0) {
        break
      } else {
        this.#line(bytes.subarray(start, newline), ns)
        start = newline + 1
      }
    }
    this.#pending = Uint8Array.from(bytes.subarray(start))
  }

  /** The process is gone: what is pending becomes a record without a newline. */
  close(ns?: bigint): void {
    if (this.#pending.length > 0) this.#part(this.#pending, ns)
    this.#pending = new Uint8Array()
    this.#partStamp = undefined
  }

  #part(bytes: Uint8Array, ns?: bigint): void {
    this.#partStamp ??= ns ?? this.#options.clock()
    this.#store(this.#partStamp, bytes, false)
  }

  #line(bytes: Uint8Array, ns?: bigint): void {
    const last = this.#partStamp !== undefined
    const stamp = this.#partStamp ?? ns ?? this.#options.clock()
    this.#partStamp = undefined
    this.#store(stamp, bytes, !(last && this.#options.losesLastNewline))
  }

  #store(ns: bigint, bytes: Uint8Array, newline: boolean): void {
    const kept = this.#options.text ? replaceInvalid(bytes) : bytes
    const stored = new Uint8Array(kept.length + (newline ? 1 : 0)).fill(NEWLINE)
    stored.set(kept)
    this.#options.store({ stream: this.#options.stream, ns, bytes: stored })
  }
}

/** UTF-8 with every byte that does not belong replaced on its own, as Go does it. */
function replaceInvalid(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes
  const out: number[] = []
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    const character = bytes.subarray(at, at + size)
    if (character.length === size && isUtf8(character)) {
      out.push(...character)
      at += size
    } else {
      out.push(...REPLACEMENT)
      at += 1
    }
  }
  return Uint8Array.from(out)
}
