/** Docker's multiplexed log body in blocks, where its records are plain; the others as `frames.ts` reads them. */
import { LEAST_RECORDS, type Records } from "./block.ts"
import { FrameDecoder, frameLength, HEADER_BYTES } from "./frames.ts"
import { PlainBlocks } from "./plain-blocks.ts"
import { LogReadError, type LogRecord } from "./record.ts"

export class FrameBlocks {
  readonly #decoder = new FrameDecoder()
  /** Head of a frame that has not come whole, in pieces. */
  #rest: Buffer[] = []
  #size = 0
  /** How much there must be before a look at it is worth while. */
  #needed = HEADER_BYTES

  /** The records that are whole now. Throws `LogReadError`; what came before the error is in `records`. */
  push(received: Buffer, records: Records[]): void {
    this.#rest.push(received)
    this.#size += received.length
    if (this.#size < this.#needed) return
    const bytes = this.#rest.length === 1 ? received : Buffer.concat(this.#rest)
    const plain = new PlainBlocks(bytes, "frames")
    let others: LogRecord[] = []
    let at = 0
    records.push(others)
    for (;;) {
      const block = plain.take(at)
      at = plain.end
      if (block && block.length < LEAST_RECORDS) others.push(...block.records())
      else if (block) records.push(block, (others = []))
      const end = endOfFrame(bytes, at)
      this.#needed = end - at
      if (end > bytes.length) break
      this.#decoder.push(bytes.toString("latin1", at, end), others)
      at = end
    }
    this.#rest = at < bytes.length ? [bytes.subarray(at)] : []
    this.#size = bytes.length - at
  }

  /** The body is over. Throws `LogReadError` when it was cut inside a frame. */
  end(): void {
    if (this.#size > 0) throw new LogReadError("the log ended inside a frame")
  }
}

/** Where the frame that begins at `at` ends, or its header: that may be behind what has come. */
function endOfFrame(bytes: Buffer, at: number): number {
  const start = at + HEADER_BYTES
  return bytes.length < start ? start : start + frameLength(bytes.toString("latin1", at, start), 0)
}
