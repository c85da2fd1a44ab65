/**
 * Reads a container's lines through a log API: from any start, over every reconnect, each line once.
 *
 * To follow is to catch up (read what the log holds behind the place) and then to follow from a little before
 * the place, which is found again; and once more whenever the stream ends, as its end says nothing.
 */
import { setTimeout as delay } from "node:timers/promises"
import { Failure } from "../errors.ts"
import { recordsOf } from "../records/block.ts"
import { LogReadError } from "../records/record.ts"
import type { Batch, Gap, ReadOptions, Start } from "../runtime.ts"
import { type Instant, shift } from "../time.ts"
import { toBatch } from "./batch.ts"
import { beginReading } from "./budget.ts"
import { Finder } from "./finder.ts"
import { readLast, type Slack } from "./last.ts"
import { pass } from "./pass.ts"
import { type Anchor, BEGINNING, formatPlace, parsePlace, type Place } from "./place.ts"
import type { Scan } from "./scan.ts"
import type { Origin } from "./seek.ts"
import type { RecordRequest, RecordSource } from "./source.ts"

/** Two writers, one for each stream, put records a little out of order. */
const MARGIN = 2_000_000_000n

export interface Tuning {
  /** Pauses between reads, in milliseconds. */
  readonly firstMs: number
  readonly mostMs: number
  /** How many of the last records are tried before the whole log is: it is read backwards, which is cheap. */
  readonly tails: readonly number[]
  /** So many records from a part of a line to its next, and its head is still seen. */
  readonly slack: number
}

/**
 * Where lines are cut anywhere: what the other stream has to say, by the read, while a line waits for its end; and
 * what it may have said while the line's writer had to wait for a processor.
 */
const CUT_ANYWHERE = { first: 16, most: 1_024 }

const TUNING: Tuning = { firstMs: 50, mostMs: 5_000, tails: [512, 8_192], slack: 64 }

/** The longest pause for a source that has to be polled: so late may a line come. */
const POLL_MS = 1_000

/** Where the log ends. */
const NO_LINES = { from: "last", lines: 0, where: () => false } as const

/** So many read errors in a row at one place, and what stands there is passed over with a gap. */
const STRIKES = 3

/** See `Runtime.read`. */
export async function* readLog(
  source: RecordSource,
  start: Start,
  options: ReadOptions,
  tuning = TUNING,
): AsyncGenerator<Batch, void> {
  const endReading = options.follow ? () => {} : beginReading()
  try {
    for await (const batch of new LogReader(source, options, tuning).run(start)) {
      // Of a read that was called off, it says nothing that a place was not found.
      if (options.signal.aborted) return
      yield batch
    }
  } finally {
    endReading()
  }
}

class LogReader {
  readonly #source: RecordSource
  readonly #options: ReadOptions
  readonly #tuning: Tuning
  #place: Place = BEGINNING
  #stopped = false

  constructor(source: RecordSource, options: ReadOptions, tuning: Tuning) {
    this.#source = source
    this.#options = options
    this.#tuning = tuning
  }

  async *run(start: Start): AsyncGenerator<Batch, void> {
    const { follow, signal } = this.#options
    const { firstMs, mostMs } = this.#tuning
    const { polled } = this.#source
    const longestMs = polled ? Math.min(POLL_MS, mostMs) : mostMs
    let backoff = firstMs
    this.#stopped = !(await this.#source.running(signal))
    yield* this.#patiently(() => this.#begin(start))
    let before = formatPlace(this.#place)
    while (follow && !this.#stopped && !signal.aborted) {
      if (!polled) yield* this.#patiently(() => this.#follow())
      const here = formatPlace(this.#place)
      backoff = here === before ? backoff * 2 : firstMs
      before = here
      await delay(Math.min(backoff, longestMs), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      this.#stopped = !(await this.#source.running(signal))
      yield* this.#patiently(() => this.#catchUp())
    }
  }

  #begin(start: Start): AsyncGenerator<Batch, void> {
    switch (start.from) {
      case "beginning":
        return this.#catchUp()
      case "time":
        this.#place = { base: { kind: "after", time: start.after }, lines: 0 }
        return this.#catchUp()
      case "end":
        return this.#last(NO_LINES)
      case "last":
        return this.#last(start)
      case "position":
        return this.#resume(start.position)
    }
  }

  /** Tries again after a read error; where there is no way past it, says a gap and goes on at the end. */
  async *#patiently(attempt: () => AsyncGenerator<Batch, void>): AsyncGenerator<Batch, void> {
    for (let strikes = 1, at = ""; ;) {
      try {
        yield* attempt()
        return
      } catch (error) {
        if (!(error instanceof LogReadError)) throw error
        const here = formatPlace(this.#place)
        strikes = here === at ? strikes + 1 : 1
        at = here
        if (strikes >= STRIKES) break
        await delay(this.#tuning.firstMs * strikes, undefined, {
          signal: this.#options.signal,
        }).catch(() => {})
        attempt = () => this.#catchUp()
      }
    }
    yield* this.#goToEnd("runtime_error")
  }

  async *#last(start: Start & { from: "last" }, gap?: Gap): AsyncGenerator<Batch, void> {
    const { lines, place } = await readLast(this.#source, start, this.#slack, this.#pass)
    this.#place = place
    yield { ...(gap && { gap }), lines, position: formatPlace(place) }
  }

  async *#goToEnd(reason: Gap["reason"]): AsyncGenerator<Batch, void> {
    const { base } = this.#place
    const from = base.kind === "anchor" ? base.time : undefined
    try {
      yield* this.#last(NO_LINES, { reason, ...(from && { from }) })
    } catch (error) {
      if (!(error instanceof LogReadError)) throw error
      throw new Failure("log_unreadable", `the log cannot be read: ${error.message}`, {
        cause: error,
      })
    }
  }

  #resume(position: string): AsyncGenerator<Batch, void> {
    const place = parsePlace(position)
    if (!place) return this.#goToEnd("ambiguous")
    this.#place = place
    return this.#catchUp()
  }

  /** Everything that the log holds behind the place. */
  async *#catchUp(): AsyncGenerator<Batch, void> {
    const { base } = this.#place
    if (base.kind === "anchor") {
      for (const request of this.#requests(base)) {
        if (yield* this.#try(request)) return
      }
      yield* this.#search(base)
    } else if (base.kind === "after") {
      const request = { since: shift(base.time, -MARGIN), follow: false }
      const origin = { at: "place", place: this.#place, window: false } as const
      const { seek, seen } = yield* this.#run(request, origin)
      if (seek === "lost") {
        const place = { base, lines: 0 }
        yield* this.#restart({ reason: "rotated", from: base.time }, request, place)
      } else if (seen === 0) yield* this.#holdOn(request.since)
    } else if (!(yield* this.#try({ follow: false }))) {
      yield* this.#restart({ reason: "rotated" }, { follow: false }, BEGINNING)
    }
  }

  /** Where nothing has come since that time, the last record is a place that does not depend on a clock. */
  async *#holdOn(since: Instant): AsyncGenerator<Batch, void> {
    const { place } = await readLast(this.#source, NO_LINES, this.#slack, this.#pass)
    const { base, lines } = place
    if (base.kind !== "anchor" || base.time >= since || lines > 0) return
    this.#place = place
    yield { lines: [], position: formatPlace(place) }
  }

  /** What comes behind the place, from a read that begins before it. Ends when the place is not found. */
  async *#follow(): AsyncGenerator<Batch, void> {
    const { base } = this.#place
    if (base.kind === "beginning") yield* this.#try({ follow: true })
    else if (base.kind === "after") {
      yield* this.#try({ since: shift(base.time, -MARGIN), follow: true })
    } else {
      for (const request of this.#requests(base)) {
        if (yield* this.#try({ ...request, follow: true })) return
      }
    }
  }

  /** Ways to read from before an anchor, the cheapest first. The last finds it where the clock has stepped far. */
  #requests(anchor: Anchor): RecordRequest[] {
    if (anchor.count === 0) return []
    const from = shift(anchor.time, -MARGIN)
    const tails = this.#source.polled ? [] : this.#tuning.tails
    const short = tails.map((tail) => ({ tail, follow: false }))
    return [...short, { from, follow: false }, { follow: false }]
  }

  /** The anchor is not where it ought to be. Looks for its only twin; else what follows is behind a gap. */
  async *#search(anchor: Anchor): AsyncGenerator<Batch, void> {
    const from = shift(anchor.time, -MARGIN)
    const finder = new Finder(anchor)
    let isOlder = true
    for await (const some of this.#source.open({ from, follow: false }, this.#options.signal)) {
      const records = recordsOf(some)
      finder.push(records)
      isOlder &&= records.every(({ timestamp }) => timestamp < anchor.time)
    }
    const { matches, lasts } = finder
    const reason = matches.length > 1 ? "ambiguous" : "rotated"
    const gap = { reason, from: anchor.time } as const
    // Where none of the records before the last is left, that one tells the place, though not what is gone.
    const [ordinal, ...twins] = matches.length > 0 ? matches : lasts
    if (ordinal !== undefined && twins.length === 0) {
      const origin = { at: "match", place: this.#place, ordinal } as const
      const told = matches.length === 0 ? { ...gap, to: anchor.time } : undefined
      if ((yield* this.#run({ from, follow: false }, origin, told)).seek === "found") return
    }
    // All of it is older: it was written anew, by a clock that had stepped back.
    if (isOlder) return yield* this.#restart(gap, { follow: false }, BEGINNING)
    // Not before the anchor's time: earlier lines have surely been handed over.
    const after = { base: { kind: "after", time: shift(anchor.time, -1n) }, lines: 0 } as const
    yield* this.#restart(gap, { from, follow: false }, after)
  }

  async *#restart(gap: Gap, request: RecordRequest, place: Place): AsyncGenerator<Batch, void> {
    yield* this.#run(request, { at: "place", place, window: false }, gap)
  }

  /** Whether the place was found. */
  async *#try(request: RecordRequest): AsyncGenerator<Batch, boolean> {
    const window = request.tail !== undefined
    const scan = yield* this.#run(request, { at: "place", place: this.#place, window })
    return scan.seek === "found"
  }

  /** A gap that is known before stands before the first batch. */
  async *#run(request: RecordRequest, origin: Origin, before?: Gap): AsyncGenerator<Batch, Scan> {
    let known = before
    const passing = pass(this.#source, request, origin, this.#pass)
    try {
      for (;;) {
        const next = await passing.next()
        if (next.done) {
          if (next.value.seek === "found") this.#place = next.value.place
          return next.value
        }
        this.#place = next.value.place
        yield toBatch(next.value, known)
        known = undefined
      }
    } finally {
      // Left in the middle when the reader of this generator leaves: the request must end too.
      await passing.return(undefined as never)
    }
  }

  /** A slow consumer may have let a container start again since it was asked. */
  async #isOver(): Promise<boolean> {
    if (this.#stopped) this.#stopped = !(await this.#source.running(this.#options.signal))
    return this.#stopped
  }

  get #slack(): Slack {
    const { slack } = this.#tuning
    if (this.#source.rules.partBytes !== undefined) return { first: slack, most: slack }
    return { first: slack * CUT_ANYWHERE.first, most: slack * CUT_ANYWHERE.most }
  }

  get #pass() {
    const { until, signal } = this.#options
    return { until, signal, isOver: () => this.#isOver() }
  }
}
