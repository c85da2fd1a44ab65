/** Random histories of a log, and what whoever reads it must get. */
import fc from "fast-check"
import type { StreamName } from "../../src/runtime.ts"
import { type Instant, toInstant } from "../../src/time.ts"
import { ModelLog, PART_BYTES } from "./model.ts"

/** One thing that happens to a log, or to whoever reads it. */
export type Step =
  /** A record: a part that is cut at the limit, or one that ends its line, with a line feed or without. */
  | {
      readonly do: "record"
      readonly stream: StreamName
      readonly end: "part" | "feed" | "torn"
      readonly tick: number
    }
  /** The container stops, perhaps in the middle of lines; its next record starts it again. */
  | { readonly do: "stop" }
  | { readonly do: "rotate"; readonly share: number }
  /** Reads on, and leaves after so many lines. */
  | { readonly do: "read"; readonly take: number }

export interface HistoryOptions {
  readonly stepsBack: boolean
  readonly rotates: boolean
}

export function steps(options: HistoryOptions): fc.Arbitrary<Step[]> {
  return fc.array(oneStep(options), { minLength: 3, maxLength: 40, size: "max" })
}

export function oneStep({ stepsBack, rotates }: HistoryOptions): fc.Arbitrary<Step> {
  const ticks = [fc.constant(0), fc.integer({ min: 1, max: 9 }), fc.constant(3_000_000_000)]
  if (stepsBack) ticks.push(fc.integer({ min: -40, max: -1 }), fc.constant(-5_000_000_000))
  const kinds: fc.WeightedArbitrary<Step>[] = [
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant("record" as const),
        stream: fc.constantFrom<StreamName>("stdout", "stdout", "stderr"),
        end: fc.constantFrom(
          "feed" as const,
          "feed" as const,
          "feed" as const,
          "part" as const,
          "torn" as const,
        ),
        tick: fc.oneof(...ticks),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), take: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.constant({ do: "stop" } as const) },
  ]
  if (rotates) {
    // Not `fc.double`: most doubles are next to nothing, and would rotate nothing.
    const share = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8)
    kinds.push({ weight: 2, arbitrary: fc.record({ do: fc.constant("rotate" as const), share }) })
  }
  return fc.oneof(...kinds)
}

export interface Written {
  readonly message: string
  /** What its last part says. */
  readonly tail: string
  /** The time of its first part. */
  readonly time: Instant
  readonly stream: StreamName
  /** The numbers of the records, from the log's first on, that hold its first part and its last. */
  readonly first: number
  readonly last: number
}

/**
 * Writes what the steps say, and remembers which lines that made.
 *
 * A line that a stop tore at the size of a part ends when its stream goes on or the log is read to its end,
 * whichever a reader sees first: its place among the lines of the other stream is open.
 */
export class Writer {
  readonly #log: ModelLog
  readonly #slowLines: boolean
  readonly #pending = new Map<StreamName, Written>()
  /** The last record of each stream on which it did not end a line: a reader waits for more. */
  readonly #open = new Map<StreamName, number>()
  /** How many records there were when last no line was half written. */
  whole = 0
  #spread = 1
  /** Nanoseconds: the time of the last record. */
  clock = 100_000_000_000
  #records = 0
  /** In the order in which they ended. Messages are unique. */
  readonly lines: Written[] = []
  readonly torn: Written[] = []

  /** `slowLines`: seconds may pass between the parts of a line. */
  constructor(log: ModelLog, slowLines = true) {
    this.#log = log
    this.#slowLines = slowLines
  }

  record({ stream, end, tick }: Omit<Step & { do: "record" }, "do">): void {
    this.#log.alive = true
    const late = this.#pending.size > 0 && !this.#slowLines
    this.clock = Math.max(1_000_000_000, this.clock + (late ? Math.min(tick, 9) : tick))
    // What comes next on a stream is another line: it must not bear the time of a torn one.
    while (this.torn.some(({ time }) => time === toInstant(BigInt(this.clock)))) this.clock++
    // No message is the end of another one: ids hold no z but the first.
    const id = `z${(this.#records++).toString(35)}`
    const text = end === "part" ? id.padStart(PART_BYTES, "_") : id
    const before = this.#pending.get(stream)
    const time = before?.time ?? toInstant(BigInt(this.clock))
    const last = this.#log.written
    const first = before?.first ?? last
    this.#spread = Math.max(this.#spread, last - (this.#open.get(stream) ?? last))
    this.#log.append(stream, time, text, end === "feed")
    this.#pending.set(stream, {
      message: (before?.message ?? "") + text,
      tail: text,
      time,
      stream,
      first,
      last,
    })
    if (end === "part") this.#open.set(stream, last)
    else {
      this.#open.delete(stream)
      this.#finish(stream, this.lines)
    }
    if (this.#open.size === 0) this.whole = this.#log.written
  }

  /** How many records, at most, came from one part of a line to what came next on its stream, be that the log's end. */
  get spread(): number {
    const torn = this.#log.alive ? [] : this.#open.values()
    return Math.max(this.#spread, ...[...torn].map((open) => this.#log.written - open))
  }

  stop(): void {
    // Two torn lines at once have no order at all: stderr's gets an end.
    if (this.#pending.has("stderr")) this.record({ stream: "stderr", end: "torn", tick: 0 })
    if (this.#pending.has("stdout")) this.#finish("stdout", this.torn)
    this.#log.alive = false
  }

  #finish(stream: StreamName, lines: Written[]): void {
    lines.push(this.#pending.get(stream) as Written)
    this.#pending.delete(stream)
  }
}
