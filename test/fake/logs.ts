/** `GET /containers/{id}/logs`: from records to the bytes that the engine sends. */
import { toInstant } from "../../src/time.ts"
import type { FakeContainer } from "./container.ts"
import type { Chunking, FakeError } from "./faults.ts"
import { assertKnown, isTrue, parseTime } from "./parameters.ts"
import { Forwarder, type Selection, type StoredRecord } from "./log.ts"

export interface LogQuery extends Selection {
  readonly stdout: boolean
  readonly stderr: boolean
  readonly timestamps: boolean
  readonly follow: boolean
}

export interface LogBodyOptions {
  /** Whether `since` is asked only until it is met once (API 1.43 on). */
  readonly stickySince: boolean
  readonly chunking: Chunking
  readonly error?: FakeError | undefined
  /** So many of a run's last records are missed by a follower that has not got them at its end. */
  missedAtEnd(): number
  /** Errors that strike while the response is open; returns how to unsubscribe. */
  onError(strike: (text: string, ends: boolean) => void): () => void
}

const KNOWN = ["stdout", "stderr", "timestamps", "follow", "since", "until", "tail"]
const STREAM_TYPES = { stdout: 1, stderr: 2, error: 3 } as const

export function parseLogQuery(search: URLSearchParams): LogQuery {
  assertKnown(search, KNOWN)
  const since = parseTime(search.get("since"))
  const until = search.get("until") === "0" ? undefined : parseTime(search.get("until"))
  const tail = /^[+-]?\d+$/.test(search.get("tail") ?? "") ? Number(search.get("tail")) : undefined
  return {
    stdout: isTrue(search.get("stdout")),
    stderr: isTrue(search.get("stderr")),
    timestamps: isTrue(search.get("timestamps")),
    follow: isTrue(search.get("follow")),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(tail === undefined ? {} : { tail }),
  }
}

/** Pieces as the engine flushes them, many at a time: what is stored, then what comes, if followed. */
export async function* logBody(
  container: FakeContainer,
  query: LogQuery,
  options: LogBodyOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly Uint8Array[]> {
  const { log } = container
  const limit = options.chunking === "whole" ? 4 * 1024 * 1024 : 65_536
  const strikes: { text: string; ends: boolean }[] = []
  const unsubscribe = options.onError((text, ends) => {
    strikes.push({ text, ends })
    log.wake()
  })
  // All of this is decided at once, so that nothing falls between what is stored and what comes.
  const run = query.follow ? container.run : undefined
  const stored = log.tail(query.tail)
  let next = log.end
  const writer = new LogWriter(container, query, options)
  try {
    yield writer.start()
    for (let at = 0; at < stored.length && writer.state === "open";) {
      const batch: Uint8Array[] = []
      for (let size = 0; at < stored.length && size < limit && writer.state === "open"; at += 1) {
        size += writer.add(stored[at] as StoredRecord, batch)
      }
      yield batch
    }
    // Up to 23.0 `until` ended the reading of what is stored, and the following began all the same.
    if (writer.state === "until" && !options.stickySince) writer.state = "open"
    if (run === undefined) return
    while (!signal.aborted && writer.state === "open") {
      const batch: Uint8Array[] = []
      // Whoever is slower than the rotation loses what is gone, without a word.
      next = Math.max(next, log.first)
      const end = run.end === undefined ? log.end : run.end - options.missedAtEnd()
      for (let size = 0; next < end && size < limit && writer.state === "open"; next += 1) {
        size += writer.add(log.at(next) as StoredRecord, batch)
      }
      const strike = next >= end ? strikes.shift() : undefined
      if (strike) batch.push(writer.error(strike.text))
      if (batch.length > 0) yield batch
      if (strike?.ends || (next >= end && run.end !== undefined)) return
      const idle = next >= log.end && strikes.length === 0 && run.end === undefined
      if (idle && writer.state === "open") await log.changed(signal)
    }
  } finally {
    unsubscribe()
  }
}

/** Turns records into pieces, and knows when the response is at its end. */
class LogWriter {
  /** `until`: a record was too late; `over`: an error ended it. */
  state: "open" | "until" | "over" = "open"
  #number = 0
  readonly #forwarder: Forwarder
  readonly #container: FakeContainer
  readonly #query: LogQuery
  readonly #error: FakeError | undefined

  constructor(container: FakeContainer, query: LogQuery, options: LogBodyOptions) {
    this.#forwarder = new Forwarder(query, options.stickySince)
    this.#container = container
    this.#query = query
    this.#error = options.error
  }

  /** What stands before the first record. */
  start(): readonly Uint8Array[] {
    const batch: Uint8Array[] = []
    this.#strike(batch)
    return batch
  }

  /** Returns the bytes of the record that it put into the batch. */
  add(record: StoredRecord, batch: Uint8Array[]): number {
    const verdict = this.#forwarder.judge(record)
    if (verdict === "end") this.state = "until"
    if (verdict !== "send" || !this.#query[record.stream]) return 0
    const piece = this.#piece(record)
    batch.push(piece)
    this.#number += 1
    this.#strike(batch)
    return piece.length
  }

  /** As the daemon says that it cannot read on; on a TTY nothing tells it from output. */
  error(text: string): Uint8Array {
    const bytes = Buffer.from(`Error grabbing logs: ${text}\n`)
    return this.#container.tty ? bytes : frame(STREAM_TYPES.error, bytes)
  }

  #strike(batch: Uint8Array[]): void {
    if (this.#error?.atRecord !== this.#number) return
    batch.push(this.error(this.#error.text))
    if (this.#error.ends) this.state = "over"
  }

  #piece(record: StoredRecord): Uint8Array {
    const stamp = this.#query.timestamps ? Buffer.from(`${toInstant(record.ns)} `) : undefined
    const bytes = stamp ? Buffer.concat([stamp, record.bytes]) : record.bytes
    return this.#container.tty ? bytes : frame(STREAM_TYPES[record.stream], bytes)
  }
}

/** A frame of the multiplexed format: type, three zeros, length, payload. */
function frame(type: number, payload: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(8 + payload.length)
  bytes[0] = type
  bytes.writeUInt32BE(payload.length, 4)
  bytes.set(payload, 8)
  return bytes
}
