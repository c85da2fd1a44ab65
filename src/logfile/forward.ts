/** Reads a file of a log forward: whole records, many at a time. */
import { Block, LEAST_RECORDS, type Records } from "../records/block.ts"
import type { RecordFormat } from "../records/format.ts"
import { PlainBlocks } from "../records/plain-blocks.ts"
import type { LogRecord } from "../records/record.ts"
import { type Piece, Pieces, RECORD_LIMIT } from "./pieces.ts"
import type { Segment } from "./segment.ts"

/** How a file is written, for who begins to read at a byte at which a record does. */
export type FormatAt = (segment: Segment, at: number) => Promise<RecordFormat>

const FEED = 0x0a

/** So much is read record by record where no block could be made. */
const VAIN_BYTES = 16_384

export class ForwardReader {
  readonly segment: Segment
  readonly #format: RecordFormat
  readonly #pieces: Pieces
  /** Whether something that is no record stands before the next one. */
  #isDamaged: boolean
  /** Whether what comes next, up to a line feed, is the end of what was too long. */
  #isCut = false
  /** Whether the last record may go on in the next one. */
  #isOpen = false

  /** `at`: where a record begins; `isDamaged`: and before it, something that is none. */
  constructor(segment: Segment, at: number, format: RecordFormat, isDamaged: boolean) {
    this.segment = segment
    this.#format = format
    this.#pieces = new Pieces(segment, at)
    this.#isDamaged = isDamaged
  }

  /** Whether the file, as far as it was read, ends inside a record, or behind what is none. */
  get isTorn(): boolean {
    return this.#isDamaged || this.#pieces.isTorn
  }

  /** What has been read of the file, whether it was whole or not. */
  get end(): number {
    return this.#pieces.end
  }

  /** Takes what has no line feed behind it as a record: nobody writes to the file any more. */
  takeRest(): readonly LogRecord[] {
    const { at } = this.#pieces
    const rest = this.#pieces.takeRest().toString("latin1")
    const records: LogRecord[] = []
    if (rest !== "") this.#take(rest, 0, rest.length, at, records)
    return records
  }

  /**
   * The next records. Empty when the file holds no whole one more, for now; `undefined` when it was truncated, so
   * that what stands there now is not what follows.
   */
  async next(): Promise<readonly Records[] | undefined> {
    for (;;) {
      const piece = await this.#pieces.next()
      if (!piece) return undefined
      if (piece.lines.length === 0) return []
      const records = this.#split(piece)
      // Records by themselves take several times their bytes: of these, one piece at a time is enough.
      if (records.some((some) => some instanceof Block)) this.#pieces.readAhead()
      if (records.length > 0) return records
    }
  }

  /** Nothing is read behind this. */
  settle(): Promise<void> {
    return this.#pieces.settle()
  }

  #split({ lines, isCut }: Piece): Records[] {
    const begin = this.#pieces.at - lines.length
    const { plain } = this.#format
    this.#isCut = isCut
    const all = plain
      ? this.#gather(new PlainBlocks(lines, plain), lines, begin)
      : [this.#parseAll(lines.toString("latin1"), begin, [])]
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
  #gather(plain: PlainBlocks, lines: Buffer, begin: number): Records[] {
    let others: LogRecord[] = []
    const all: Records[] = [others]
    const end = lines.length
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
      const to = lines.indexOf(FEED, isVain ? Math.min(end - 1, at + VAIN_BYTES) : at) + 1
      this.#parseAll(lines.toString("latin1", at, to), begin + at, others)
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
 * What the file holds now, a damaged record at the head of what is given at once. False: it was truncated.
 */
export async function* readOn(
  reader: ForwardReader,
  signal: AbortSignal,
): AsyncGenerator<Records, boolean> {
  try {
    for (;;) {
      const all = await reader.next()
      if (!all) return false
      if (all.length === 0 || signal.aborted) return true
      for (const records of all) {
        if (records instanceof Block) yield records
        else yield* splitAtDamage(records)
      }
    }
  } finally {
    // The file is closed behind this.
    await reader.settle()
  }
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
