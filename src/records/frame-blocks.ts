/** Docker's multiplexed log body in blocks, where its records are plain; the others as `frames.ts` reads them. */
import { BlockBuilder, endOfText, HEAD_BYTES, LEAST_RECORDS, type Records } from "./block.ts"
import { FrameDecoder, frameLength, HEADER_BYTES } from "./frames.ts"
import { LogReadError, type LogRecord } from "./record.ts"
import { Stamps } from "./stamp.ts"

const [FEED, BLANK] = [0x0a, 0x20]

/** Of a line without a text. */
const LEAST_FRAME = HEADER_BYTES + HEAD_BYTES + 1

export class FrameBlocks {
  readonly #decoder = new FrameDecoder()
  readonly #stamps = new Stamps()
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
    const builder = new BlockBuilder(bytes, Math.ceil(bytes.length / LEAST_FRAME))
    let others: LogRecord[] = []
    let at = 0
    records.push(others)
    for (;;) {
      at = this.#takePlain(bytes, at, builder)
      const block = builder.take()
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

  /** Takes frames whose records are plain, from `from` on; where it stopped. */
  #takePlain(bytes: Buffer, from: number, into: BlockBuilder): number {
    let begin = from
    for (;;) {
      const start = begin + HEADER_BYTES
      const end = start + plainLength(bytes, begin)
      const stream = bytes[begin]
      const isHeader = (stream === 1 || stream === 2) && end - begin >= LEAST_FRAME
      if (!isHeader || end > bytes.length || bytes[end - 1] !== FEED) return begin
      if (bytes[start + HEAD_BYTES - 1] !== BLANK || !this.#stamps.isInstant(bytes, start)) {
        return begin
      }
      const stop = endOfText(bytes, start + HEAD_BYTES)
      const read = stop < 0 ? ~stop : stop
      if (read !== end - 1 || !into.add(start, read, stream, stop >= 0)) return begin
      begin = end
    }
  }
}

/** Of a record that the header says to be shorter than 64 KiB, as a plain one is; else 0. */
function plainLength(bytes: Buffer, at: number): number {
  for (let index = 1; index < 6; index++) if (bytes[at + index] !== 0) return 0
  return ((bytes[at + 6] as number) << 8) | (bytes[at + 7] as number)
}

/** Where the frame that begins at `at` ends, or its header: that may be behind what has come. */
function endOfFrame(bytes: Buffer, at: number): number {
  const start = at + HEADER_BYTES
  return bytes.length < start ? start : start + frameLength(bytes.toString("latin1", at, start), 0)
}
