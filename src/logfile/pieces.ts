/** Reads a file of a log forward: whole lines, many at a time, as long as it is the file that it was. */
import { bytesAtOnce } from "../logapi/budget.ts"
import type { Segment } from "./segment.ts"

const HEAD = 256

const FEED = 0x0a

/**
 * As much as is handed over at once. Of twice as much, a log is read some hundredths sooner, and takes 15 MB more: what is
 * on its way to the client outlives the engine's small collections of garbage.
 */
const PIECE_BYTES = 131_072

/** What is read at once of a log that is there: each read is felt, whatever it reads. */
const READ_BYTES = 1_048_576

/** What is read of what was appended to one: mostly it is little. */
const APPENDED_BYTES = 16_384

/** For what is left of the next reads: most lines are shorter. */
const SPARE = 4_096

/** An engine's record is 16 KiB of text, each byte of which may take six as JSON. No longer one is waited for. */
export const RECORD_LIMIT = 1_048_576

const NOTHING = Buffer.alloc(0)

export interface Piece {
  /** Good until the next one is asked for, or read ahead. */
  readonly lines: Buffer
  /** Whether the first line is the end of one that was too long: it may look like a record. */
  readonly isCut: boolean
}

export class Pieces {
  readonly #segment: Segment
  #end: number
  /** Whole lines that were read, and not handed over. */
  #lines: Buffer = NOTHING
  /** Whether these begin with the end of a line that is too long. */
  #isCut = false
  /** The head of a line that is not whole yet. */
  #rest: Buffer = NOTHING
  /** Whether that is too long: nothing of it is kept. */
  #isTooLong = false
  /** To read into, as long as there is more. */
  #buffer: Buffer | undefined
  /** What comes behind the end of a file has been appended just now. */
  #isAtEnd = false
  #coming: Promise<number | undefined> | undefined
  /** What the file begins with: a file that is written anew begins with a record of another time. */
  #head = ""

  /** `at`: where a line begins. */
  constructor(segment: Segment, at: number) {
    this.#segment = segment
    this.#end = at
  }

  /** What has been read of the file. */
  get end(): number {
    return this.#end
  }

  /** Where what comes next begins, whole or not. */
  get at(): number {
    return this.#end - this.#rest.length - this.#lines.length
  }

  /** Whether the file, as far as it was read, ends inside a line. */
  get isTorn(): boolean {
    return this.#isTooLong || this.#rest.length > 0
  }

  /** What has no line feed behind it: nobody writes to the file any more. */
  takeRest(): Buffer {
    const rest = this.#rest
    this.#rest = NOTHING
    return rest
  }

  /** `lines` is empty when the file holds no whole one more, for now. `undefined`: it was truncated. */
  async next(): Promise<Piece | undefined> {
    while (this.#lines.length === 0) {
      const coming = this.#coming ?? this.#read()
      this.#coming = undefined
      const count = await coming
      if (count === undefined) return undefined
      if (count === 0) break
    }
    const all = this.#lines
    const most = bytesAtOnce(PIECE_BYTES)
    const isMore = all.length > most
    const feed = isMore ? all.lastIndexOf(FEED, most - 1) : all.length - 1
    // A line that is longer is handed over by itself.
    const end = (feed < 0 ? all.indexOf(FEED, most) : feed) + 1
    const piece = { lines: all.subarray(0, end), isCut: this.#isCut }
    // Even an empty view would keep all that was read.
    this.#lines = end < all.length ? all.subarray(end) : NOTHING
    this.#isCut = false
    return piece
  }

  /** Reads what comes next while something else is done, if all has been handed over. A failure is met when it is waited for. */
  readAhead(): void {
    if (this.#lines.length > 0 || this.#coming) return
    this.#coming = this.#read()
    this.#coming.catch(() => {})
  }

  /** No read goes on behind this. */
  async settle(): Promise<void> {
    await this.#coming?.catch(() => {})
  }

  /** How many bytes there were. */
  async #read(): Promise<number | undefined> {
    const isNew = this.#isAtEnd
    const rest = this.#rest
    const room = isNew ? APPENDED_BYTES : bytesAtOnce(this.#buffer ? READ_BYTES : PIECE_BYTES)
    const length = rest.length + room
    const known = this.#buffer
    const buffer = known && known.length >= length ? known : Buffer.allocUnsafe(length + SPARE)
    rest.copy(buffer)
    const count = await this.#segment.fill(buffer.subarray(rest.length, length), this.#end, isNew)
    // Behind the read: what was read before a truncation is good, and nobody can tell it from the rest.
    if (await this.#isAnother(isNew)) return undefined
    if (count === 0 && (await this.#segment.size(isNew)) < this.#end) return undefined
    this.#isAtEnd = count < room
    // At the end of a log nothing may come for hours.
    this.#buffer = this.#isAtEnd ? undefined : buffer
    this.#end += count
    if (count > 0) this.#split(buffer.subarray(0, rest.length + count))
    return count
  }

  #split(bytes: Buffer): void {
    const end = bytes.lastIndexOf(FEED) + 1
    this.#lines = bytes.subarray(0, end)
    if (end > 0) {
      this.#isCut = this.#isTooLong
      this.#isTooLong = false
    }
    // Of what is too long no byte is kept: it may go on for gigabytes.
    this.#isTooLong ||= bytes.length - end > RECORD_LIMIT
    // A copy, so that what was read need not be kept for it.
    this.#rest = this.#isTooLong ? NOTHING : Buffer.from(bytes.subarray(end))
  }

  /** Whether the file begins with something else than before. */
  async #isAnother(isNew: boolean): Promise<boolean> {
    const head = await this.#segment.read(0, HEAD, isNew)
    const isSame = head.startsWith(this.#head)
    this.#head = head
    return !isSame
  }
}
