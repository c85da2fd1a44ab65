/** Reads a model's log in pieces, as a client that is cut off does, and checks what comes. */
import { expect } from "bun:test"
import { readLog, type Tuning } from "../../src/logapi/read.ts"
import { formatPlace, parsePlace } from "../../src/logapi/place.ts"
import { type Block, type Line, POSITION, type Start } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"
import { linesIn } from "../block-lines.ts"
import type { HistoryOptions, Step, Writer } from "./history.ts"
import type { ModelLog } from "./model.ts"
import { Reception } from "./reception.ts"

export const TUNING: Tuning = { firstMs: 0, mostMs: 0, tails: [3, 9], slack: 4 }

export class CutReader {
  readonly #log: ModelLog
  readonly #reception: Reception
  readonly #tuning: Tuning
  #start: Start
  resumes = 0
  /** How many lines came in blocks. */
  blocks = 0

  constructor(log: ModelLog, reception: Reception, start: Start, tuning: Tuning = TUNING) {
    this.#log = log
    this.#reception = reception
    this.#start = start
    this.#tuning = tuning
  }

  /**
   * Reads until `take` lines have come or the log, or what of it lies before a cut, is over.
   * Throws when a line is lost or doubled in silence.
   */
  async read(take: number, until?: Instant): Promise<void> {
    const { signal } = new AbortController()
    const options = { follow: false, signal, ...(until && { until }) }
    let left = take
    if (this.#start.from === "position") this.resumes++
    else this.#reception.expectStart(this.#start)
    for await (const batch of readLog(this.#log, this.#start, options, this.#tuning)) {
      expectPosition(batch.position)
      if (batch.block) {
        this.blocks += expectBlock(batch.block, batch.lines)
        expect(batch.position).toBe(batch.lines.at(-1)?.position ?? "")
      }
      this.#reception.accept({ ...batch, lines: [] })
      for (const line of batch.lines) {
        if (left-- === 0) return
        expectPosition(line.position)
        this.#reception.take(line, until)
        this.#start = { from: "position", position: line.position }
      }
      this.#start = { from: "position", position: batch.position }
    }
    this.#reception.finish(until)
  }
}

/** Writes a history, and reads it from the beginning wherever it says so, and to its end. */
export async function readInPieces(
  log: ModelLog,
  writer: Writer,
  history: readonly Step[],
  { rotates }: HistoryOptions,
): Promise<{ gaps: number; resumes: number; blocks: number }> {
  const reception = new Reception(log, writer)
  const reader = new CutReader(log, reception, { from: "beginning" })
  for (const step of [...history, { do: "stop" }, { do: "read", take: 1_000 }] as const) {
    if (step.do === "record") writer.record(step)
    else if (step.do === "stop") writer.stop()
    else if (step.do === "rotate") log.rotate(Math.floor(step.share * log.records.length))
    else await reader.read(step.take)
  }
  if (!rotates) {
    expect(reception.torn.toSorted()).toEqual(writer.torn.map(({ message }) => message).toSorted())
  }
  return { gaps: reception.gaps, resumes: reader.resumes, blocks: reader.blocks }
}

/** What is handed over can be come back with. */
export function expectPosition(position: string): void {
  const place = parsePlace(position)
  if (!POSITION.test(position) || !place || formatPlace(place) !== position) {
    throw new Error(`not a position: ${position}`)
  }
}

/** A block says what its lines say by themselves. How many they are. */
function expectBlock(block: Block, lines: readonly Line[]): number {
  const told = lines.map(({ stream, timestamp, message, position }) => {
    return { stream, timestamp, message, position }
  })
  expect(linesIn(block)).toEqual(told)
  return lines.length
}
