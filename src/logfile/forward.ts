/** Reads a file of a log forward: whole records, many at a time. */
import { bytesAtOnce } from "../logapi/budget.ts"
import { Block, LEAST_RECORDS, type Records } from "../records/block.ts"
import type { RecordFormat } from "../records/format.ts"
import { PlainBlocks } from "../records/plain-blocks.ts"
import type { LogRecord } from "../records/record.ts"
import type { Segment } from "./segment.ts"

/** How a file is written, for who begins to read at a byte at which a record does. */
export type FormatAt = (segment: Segment, at: number) => Promise<RecordFormat>

const HEAD = 256

/** For what is left of the next pieces: most records are shorter. */
const SPARE = 4_096

const FEED = 0x0a

/** So much is read record by record where no block could be made. */
const VAIN_BYTES = 16_384

/** An engine's record is 16 KiB of text, each byte of which may take six as JSON. No longer one is waited for. */
export const RECORD_LIMIT = 1_048_576

export class ForwardReader {
  readonly segment: Segment
  readonly #format: RecordFormat
  /** What has been read of the file. */
  #at: number
  /** The head of a record that is not whole yet. */
  #rest: Buffer = Buffer.alloc(0)
  /** To read into, as long as there is more: nothing of what was read is kept in there. */
  #buffer: Buffer | undefined
  /** Whether something that is no record stands before the next one. */
  #isDamaged: boolean
  /** Whether what comes next, up to a line feed, is the end of what was too long: it may look like a record. */
  #isCut = false
  /** Whether the last record may go on in the next one. */
  #isOpen = false
  /** What the file begins with: a file that is written anew begins with a record of another time. */
  #head = ""

  /** `at`: where a record begins; `isDamaged`: and before it, something that is none. */
  constructor(segment: Segment, at: number, format: RecordFormat, isDamaged: boolean) {
    this.segment = segment
    this.#at = at
    this.#format = format
    this.#isDamaged = isDamaged
  }

  /** Whether the file, as far as it was read, ends inside a record, or behind what is none. */
  get isTorn(): boolean {
    return this.#isDamaged || this.#isCut || this.#rest.length > 0
  }

  get at(): number {
    return this.#at
  }

  /** Takes what has no line feed behind it as a record: nobody writes to the file any more. */
  takeRest(): readonly LogRecord[] {
    const rest = this.#rest.toString("latin1")
    const records: LogRecord[] = []
    this.#rest = Buffer.alloc(0)
    if (rest !== "") this.#take(rest, 0, rest.length, this.#at - rest.length, records)
    return records
  }

  /**
   * The next records. Empty when the file holds no whole one more, for now; `undefined` when it was truncated, so
   * that what stands there now is not what follows.
   */
  async next(): Promise<readonly Records[] | undefined> {
    for (;;) {
      const read = await this.#read()
      // Behind the read: what was read before a truncation is good, and nobody can tell it from the rest.
      if (await this.#isAnother()) return undefined
      if (read.count === 0) return (await this.segment.size()) < this.#at ? undefined : []
      this.#at += read.count
      const records = this.#split(read.bytes)
      if (records.length > 0) return records
    }
  }

  /** So many bytes more, with what was left of those before them. */
  async #read(): Promise<{ readonly bytes: Buffer; readonly count: number }> {
    const rest = this.#rest
    const length = rest.length + bytesAtOnce()
    const known = this.#buffer
    const buffer = known && known.length >= length ? known : Buffer.allocUnsafe(length + SPARE)
    rest.copy(buffer)
    const room = buffer.subarray(rest.length, length)
    const count = await this.segment.fill(room, this.#at)
    // At the end of a log nothing may come for hours.
    this.#buffer = count === room.length ? buffer : undefined
    return { bytes: buffer.subarray(0, rest.length + count), count }
  }

  /** Whether the file begins with something else than before. */
  async #isAnother(): Promise<boolean> {
    const head = await this.segment.read(0, HEAD)
    const isSame = head.startsWith(this.#head)
    this.#head = head
    return !isSame
  }

  #split(bytes: Buffer): Records[] {
    const begin = this.#at - bytes.length
    const end = bytes.lastIndexOf(FEED) + 1
    const { plain } = this.#format
    const all = plain
      ? this.#gather(new PlainBlocks(bytes.subarray(0, end), plain), bytes, end, begin)
      : [this.#parseAll(bytes.toString("latin1", 0, end), begin, [])]
    // Of what is cut, no byte is kept: it may go on for gigabytes.
    this.#isCut ||= bytes.length - end > RECORD_LIMIT
    // A copy, so that what was read need not be kept for it.
    this.#rest = Buffer.from(this.#isCut ? "" : bytes.subarray(end))
    return all.filter(({ length }) => length > 0)
  }

  #parseAll(text: string, begin: number, records: LogRecord[]): LogRecord[] {
    for (let at = 0; at < text.length;) {
      const feed = text.indexOf("\n", at)
      this.#take(text, at, feed, begin + at, records)
      at = feed + 1
    }
    return records
  }

  /** Plain records in blocks, and what is between them by itself. */
  #gather(plain: PlainBlocks, bytes: Buffer, end: number, begin: number): Records[] {
    let others: LogRecord[] = []
    const all: Records[] = [others]
    for (let at = 0; at < end;) {
      // What stands before a record that comes behind a damage must be said with it; and the rest of a line is no line.
      const isApart = this.#isDamaged || this.#isCut || this.#isOpen
      const block = isApart ? undefined : plain.take(at)
      if (block) at = plain.end
      const isWorthIt = block !== undefined && block.length >= LEAST_RECORDS
      if (isWorthIt) all.push(block, (others = []))
      else if (block) others.push(...block.records())
      if (at === end) break
      // Of a log that is not plain every record would be looked at twice: after a vain look, a while is waited.
      const isVain = !isApart && !isWorthIt
      const to = bytes.indexOf(FEED, isVain ? Math.min(end - 1, at + VAIN_BYTES) : at) + 1
      this.#parseAll(bytes.toString("latin1", at, to), begin + at, others)
      at = to
    }
    return all
  }

  #take(text: string, from: number, to: number, at: number, records: LogRecord[]): void {
    // However the file was read in pieces: what is a record now must be one to the next reader.
    const isLine = !this.#isCut && to - from <= RECORD_LIMIT
    const record = isLine ? this.#format.parse(text, from, to, at) : undefined
    if (record) records.push(this.#isDamaged ? { ...record, damaged: true } : record)
    this.#isOpen = record !== undefined && !record.ended
    this.#isDamaged = !record
    this.#isCut = false
  }
}

/**
 * What the file holds now, a damaged record at the head of what is given at once. False: it was truncated. While a block
 * is sent, what comes behind it is on its way.
 */
export async function* readOn(
  reader: ForwardReader,
  signal: AbortSignal,
): AsyncGenerator<Records, boolean> {
  let coming: ReturnType<typeof ahead> | undefined
  try {
    for (;;) {
      const all = await (coming ?? reader.next())
      if (!all) return false
      if (all.length === 0 || signal.aborted) return true
      // Records by themselves take several times their bytes: of these, one piece at a time is enough.
      coming = all.some((records) => records instanceof Block) ? ahead(reader) : undefined
      for (const records of all) {
        if (records instanceof Block) yield records
        else yield* splitAtDamage(records)
      }
    }
  } finally {
    // The file is closed behind this.
    await coming?.catch(() => {})
  }
}

/** A failure is met when it is waited for, and not before. */
function ahead(reader: ForwardReader): ReturnType<ForwardReader["next"]> {
  const coming = reader.next()
  coming.catch(() => {})
  return coming
}

function* splitAtDamage(records: readonly LogRecord[]): Generator<readonly LogRecord[]> {
  let from = 0
  for (const [at, { damaged }] of records.entries()) {
    if (!damaged || at === 0) continue
    yield records.slice(from, at)
    from = at
  }
  yield from === 0 ? records : records.slice(from)
}
