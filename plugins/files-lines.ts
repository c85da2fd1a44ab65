/**
 * The lines of a file that a program writes by itself: as an engine would have written them (json-file or CRI), or
 * plain. What a line's time is follows from what stands in its file alone, so that it is the same wherever a read
 * begins.
 */
import { RECORD_LIMIT } from "../src/logfile/pieces.ts"
import type { Segment } from "../src/logfile/segment.ts"
import type { ParseRecord, RecordFormat } from "../src/records/format.ts"
import { parseCri } from "../src/records/cri.ts"
import { parseJsonFile } from "../src/records/json-file.ts"
import { readLineTime, toPlainRecord } from "../src/records/plain.ts"
import type { LineRules } from "../src/records/lines.ts"
import type { LogRecord } from "../src/records/record.ts"
import { type Instant, toInstant, toNanoseconds } from "../src/time.ts"

/** A line without a time bears the time of the last line with one that begins in so many bytes before it. */
const REACH = RECORD_LIMIT

const HEAD = 65_536

/** Docker cuts lines at this size, and a shorter record without a line feed ends its line. */
const JSON_PART_BYTES = 16_384

export function lineRules(limitBytes: number): LineRules {
  return { partsShareTime: false, crlf: false, limitBytes }
}

type Format = (line: string) => LogRecord | undefined

/** Parses a file's lines from `at` on, where one begins. */
export async function linesAt(segment: Segment, at: number): Promise<RecordFormat> {
  const lines = new Lines(segment.bornAt)
  if (at === 0) return lines
  lines.begin(await firstLine(segment))
  const start = Math.max(0, at - REACH)
  // With the byte before it: a line feed there says that a line begins at `start`.
  const from = Math.max(0, start - 1)
  lines.lookBack(await segment.read(from, at - from), from)
  return lines
}

/** Whose the times of a file's lines are, as far as its head tells: an engine's, its program's, or nobody's. */
export type Times = "engine" | "program" | "nobody"

/** `undefined`: there is no line yet. */
export async function timesOf(segment: Segment): Promise<Times | undefined> {
  const line = await firstLine(segment)
  if (line === undefined) return (await segment.size()) > RECORD_LIMIT ? "nobody" : undefined
  if (formatOf(line)) return "engine"
  const lines = (await segment.read(0, HEAD)).split("\n")
  return lines.some((each) => readLineTime(each) !== undefined) ? "program" : "nobody"
}

/** The first line, if it is whole and no longer than a line may be. */
async function firstLine(segment: Segment): Promise<string | undefined> {
  for (const length of [HEAD, RECORD_LIMIT + 1]) {
    const text = await segment.read(0, length)
    const end = text.indexOf("\n")
    if (end >= 0) return text.slice(0, end)
  }
  return undefined
}

/** What the first line of a file is, the others are expected to be. `undefined`: plain. */
function formatOf(line: string): Format | undefined {
  return [parseJson, parseCriLine].find((format) => format(line))
}

function parseCriLine(line: string): LogRecord | undefined {
  return parseCri(line, 0, line.length)
}

function parseJson(line: string): LogRecord | undefined {
  const record = parseJsonFile(line, 0, line.length)
  return record && (record.text.length < JSON_PART_BYTES ? { ...record, ended: true } : record)
}

class Lines implements RecordFormat {
  /** Nanoseconds since 1970. */
  readonly #bornAt: bigint
  /** Without a format, until the first line has been seen. */
  #format: Format | undefined
  /** The last line that said its time, and where it began. */
  #timed: { readonly time: Instant; readonly at: number } | undefined

  constructor(bornAt: Instant) {
    this.#bornAt = toNanoseconds(bornAt)
  }

  begin(head: string | undefined): void {
    this.#format = head === undefined ? undefined : formatOf(head)
  }

  /** `text` ends before the line that will be parsed next; it begins at byte `from` of the file, perhaps in a line. */
  lookBack(text: string, from: number): void {
    for (let end = text.length - 1; end > 0;) {
      const feed = text.lastIndexOf("\n", end - 1)
      if (feed < 0 && from > 0) return
      const line = text.slice(feed + 1, end)
      const time = this.#format?.(line)?.timestamp ?? readLineTime(line)
      if (time !== undefined) {
        this.#timed = { time, at: from + feed + 1 }
        return
      }
      end = feed
    }
  }

  readonly parse: ParseRecord = (text, from, to, at) => {
    const line = text.slice(from, to)
    // Before this line there may be one that is too long: then, nobody knows the file's format.
    if (at === 0) this.begin(line)
    const record = this.#format?.(line)
    const time = record?.timestamp ?? readLineTime(line)
    if (time !== undefined) this.#timed = { time, at }
    return record ?? toPlainRecord(line, time ?? this.#timeOf(at))
  }

  /** Of a line that does not say it. Times that differ keep places in the file apart, and the seconds right. */
  #timeOf(at: number): Instant {
    if (this.#timed && at - this.#timed.at <= REACH) return this.#timed.time
    return toInstant(this.#bornAt + BigInt(at))
  }
}
