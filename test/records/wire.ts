/** Log bodies as Docker writes them, one char a byte, and the decoders that read them. */
import { LogReadError, type LogRecord } from "../../src/records/record.ts"
import type { StreamName } from "../../src/runtime.ts"
import { type Instant, toInstant } from "../../src/time.ts"

export const STREAM_BYTES: Readonly<Record<StreamName, number>> = { stdout: 1, stderr: 2 }

/** A stamp of 2026, so many nanoseconds later. */
export function stamp(nanoseconds: number): Instant {
  return toInstant(1_787_000_000_000_000_000n + BigInt(nanoseconds))
}

/** Text as UTF-8. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1")
}

export function frame(type: number, payload: string, length = payload.length): string {
  const header = Buffer.alloc(8)
  header[0] = type
  header.writeUInt32BE(length, 4)
  return header.toString("latin1") + payload
}

export interface Decoder {
  push(bytes: string, records: LogRecord[]): void
  end(records: LogRecord[]): void
}

export interface Decoded {
  readonly records: LogRecord[]
  /** What was thrown, if anything was. */
  readonly error?: LogReadError
}

/** Decodes a body that comes cut at these places. Throws what is not a `LogReadError`. */
export function decode(decoder: Decoder, body: string, cuts: readonly number[] = []): Decoded {
  const records: LogRecord[] = []
  try {
    let at = 0
    for (const cut of [...cuts.toSorted((a, b) => a - b), body.length]) {
      decoder.push(body.slice(at, cut), records)
      at = Math.max(at, cut)
    }
    decoder.end(records)
  } catch (error) {
    if (!(error instanceof LogReadError)) throw error
    return { records, error }
  }
  return { records }
}
