/**
 * Docker's multiplexed log body: `[stream, 0, 0, 0, length BE32]` and then a record. Bytes arrive one a
 * char; frames may be cut anywhere.
 */
import { LogReadError, type LogRecord, readStamp } from "./record.ts"

export const HEADER_BYTES = 8

/** The engine cuts records at 16 KiB; a longer frame is a lie, and is not waited for. */
const FRAME_LIMIT = 1_048_576

/** Type 3: the engine's own words about an error while reading. */
const SYSTEM_ERROR = 3

export class FrameDecoder {
  /** Head of a frame that has not come whole. */
  #rest = ""
  /** How long `#rest` must be before a look at it is worth while: a frame in tiny pieces costs no rescans. */
  #needed = HEADER_BYTES

  /** The records that are whole now. Throws `LogReadError`; what came before the error is in `records`. */
  push(bytes: string, records: LogRecord[]): void {
    this.#rest += bytes
    if (this.#rest.length < this.#needed) return
    const text = this.#rest
    let at = 0
    for (;;) {
      this.#needed = HEADER_BYTES
      if (text.length - at < HEADER_BYTES) break
      const length = frameLength(text, at)
      this.#needed = HEADER_BYTES + length
      if (text.length - at < this.#needed) break
      const start = at + HEADER_BYTES
      at += this.#needed
      records.push(toRecord(text.charCodeAt(start - HEADER_BYTES), text.slice(start, at)))
    }
    this.#rest = text.slice(at)
  }

  /** The body is over. Throws `LogReadError` when it was cut inside a frame. */
  end(_records?: LogRecord[]): void {
    if (this.#rest !== "") throw new LogReadError("the log ended inside a frame")
  }
}

/** Of the record behind the header that stands at `at`. Throws `LogReadError` when it is none. */
export function frameLength(text: string, at: number): number {
  const length =
    text.charCodeAt(at + 4) * 0x1000000 +
    ((text.charCodeAt(at + 5) << 16) | (text.charCodeAt(at + 6) << 8) | text.charCodeAt(at + 7))
  const padding = text.charCodeAt(at + 1) | text.charCodeAt(at + 2) | text.charCodeAt(at + 3)
  if (text.charCodeAt(at) > SYSTEM_ERROR || padding !== 0 || length > FRAME_LIMIT) {
    throw new LogReadError("what came is not a log frame")
  }
  return length
}

function toRecord(type: number, raw: string): LogRecord {
  if (type === SYSTEM_ERROR) throw new LogReadError(raw.trim().slice(0, 200))
  const { timestamp, text } = readStamp(raw)
  const ended = raw.endsWith("\n")
  return {
    stream: type === 2 ? "stderr" : "stdout",
    timestamp,
    text: raw.slice(text, ended ? -1 : undefined),
    ended,
  }
}
