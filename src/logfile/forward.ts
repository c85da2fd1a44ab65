/** Reads a file of a log forward: whole records, many at a time. */
import { bytesAtOnce } from "../logapi/budget.ts"
import type { LogRecord } from "../records/record.ts"
import type { Segment } from "./segment.ts"

/**
 * A record's line: of `text`, one char a byte, what stands from `from` to its line feed; `at` is where it begins in
 * the file. `undefined`: it is no record.
 */
export type ParseRecord = (
  text: string,
  from: number,
  to: number,
  at: number,
) => LogRecord | undefined

/** What parses the records of a file from a byte on at which one begins. */
export type ParserAt = (segment: Segment, at: number) => Promise<ParseRecord>

const HEAD = 256

/** An engine's record is 16 KiB of text, each byte of which may take six as JSON. No longer one is waited for. */
export const RECORD_LIMIT = 1_048_576

export class ForwardReader {
  readonly segment: Segment
  readonly #parse: ParseRecord
  /** What has been read of the file. */
  #at: number
  /** The head of a record that is not whole yet. */
  #rest = ""
  /** Whether something that is no record stands before the next one. */
  #isDamaged: boolean
  /** Whether what comes next, up to a line feed, is the end of what was too long: it may look like a record. */
  #isCut = false
  /** What the file begins with: a file that is written anew begins with a record of another time. */
  #head = ""

  /** `at`: where a record begins; `isDamaged`: and before it, something that is none. */
  constructor(segment: Segment, at: number, parse: ParseRecord, isDamaged: boolean) {
    this.segment = segment
    this.#at = at
    this.#parse = parse
    this.#isDamaged = isDamaged
  }

  /** Whether the file, as far as it was read, ends inside a record, or behind what is none. */
  get isTorn(): boolean {
    return this.#isDamaged || this.#isCut || this.#rest !== ""
  }

  get at(): number {
    return this.#at
  }

  /** Takes what has no line feed behind it as a record: nobody writes to the file any more. */
  takeRest(): readonly LogRecord[] {
    const [rest, records]: [string, LogRecord[]] = [this.#rest, []]
    this.#rest = ""
    if (rest !== "") this.#take(rest, 0, rest.length, this.#at - rest.length, records)
    return records
  }

  /**
   * The next records. Empty when the file holds no whole one more, for now; `undefined` when it was truncated, so
   * that what stands there now is not what follows.
   */
  async next(): Promise<readonly LogRecord[] | undefined> {
    for (;;) {
      const bytes = await this.segment.read(this.#at, bytesAtOnce())
      // Behind the read: what was read before a truncation is good, and nobody can tell it from the rest.
      if (await this.#isAnother()) return undefined
      if (bytes === "") return (await this.segment.size()) < this.#at ? undefined : []
      this.#at += bytes.length
      const records: LogRecord[] = []
      this.#split(bytes, records)
      if (records.length > 0) return records
    }
  }

  /** Whether the file begins with something else than before. */
  async #isAnother(): Promise<boolean> {
    const head = await this.segment.read(0, HEAD)
    const isSame = head.startsWith(this.#head)
    this.#head = head
    return !isSame
  }

  #split(bytes: string, records: LogRecord[]): void {
    const text = this.#rest + bytes
    const begin = this.#at - text.length
    let at = 0
    for (;;) {
      const end = text.indexOf("\n", at)
      if (end < 0) break
      this.#take(text, at, end, begin + at, records)
      at = end + 1
    }
    this.#rest = text.slice(at)
    // Of what is cut, no byte is kept: it may go on for gigabytes.
    if (this.#isCut || this.#rest.length > RECORD_LIMIT) {
      this.#rest = ""
      this.#isCut = true
    }
  }

  #take(text: string, from: number, to: number, at: number, records: LogRecord[]): void {
    // However the file was read in pieces: what is a record now must be one to the next reader.
    const isLine = !this.#isCut && to - from <= RECORD_LIMIT
    const record = isLine ? this.#parse(text, from, to, at) : undefined
    if (record) records.push(this.#isDamaged ? { ...record, damaged: true } : record)
    this.#isDamaged = !record
    this.#isCut = false
  }
}

/** What the file holds now, a damaged record at the head of what is given at once. False: it was truncated. */
export async function* readOn(
  reader: ForwardReader,
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[], boolean> {
  for (;;) {
    const records = await reader.next()
    if (!records) return false
    if (records.length === 0 || signal.aborted) return true
    let from = 0
    for (const [at, { damaged }] of records.entries()) {
      if (!damaged || at === 0) continue
      yield records.slice(from, at)
      from = at
    }
    yield from === 0 ? records : records.slice(from)
  }
}
