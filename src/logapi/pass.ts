/** One request to the log API, scanned: yields what it hands over, returns how it went. */
import { LinkedAbort } from "../abort.ts"
import type { Gap, Line } from "../runtime.ts"
import { type Instant, now, shift } from "../time.ts"
import { Block, recordsOf } from "../records/block.ts"
import type { LogRecord } from "../records/record.ts"
import { isAstray } from "./astray.ts"
import { formatPlace, type Place } from "./place.ts"
import type { PlacedBlock } from "./placed-block.ts"
import { Repeats } from "./repeats.ts"
import { Scan } from "./scan.ts"
import type { Origin } from "./seek.ts"
import type { RecordRequest, RecordSource } from "./source.ts"

/** A follow that says nothing for so long is opened anew: engines lose track of a truncated file. */
const IDLE_MS = 60_000

/** A follow that has not come to its place after so long never will. */
const SEEK_MS = 5_000

/** The clock has milliseconds, and more than one processor. */
const CLOCK_SLACK = 1_000_000_000n

export const horizon = (): Instant => shift(now(), CLOCK_SLACK)

export interface PassOptions {
  readonly until?: Instant | undefined
  /** Whether the container had stopped before the request, and still has: a line without an end is a line. */
  readonly isOver: () => Promise<boolean>
  readonly signal: AbortSignal
}

export interface PlacedLines {
  /** Stands before the lines. */
  readonly gap?: Gap
  readonly lines: readonly Line[] | PlacedBlock
  /** Behind the lines. */
  readonly place: Place
}

function damage({ timestamp }: LogRecord): Gap {
  return { reason: "runtime_error", to: timestamp }
}

/** Yields a batch as soon as the place is found, whenever there are lines, and for a better place at the end. */
export async function* pass(
  source: RecordSource,
  request: RecordRequest,
  origin: Origin,
  { until, isOver, signal }: PassOptions,
): AsyncGenerator<PlacedLines, Scan> {
  const scan = new Scan(origin, source.rules, { until, horizon })
  const repeats = source.repeats && request.follow ? new Repeats() : undefined
  const silence = new LinkedAbort(signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    clearTimeout(timer)
    if (!request.follow) return
    timer = setTimeout(() => silence.abort(), scan.seek === "found" ? IDLE_MS : SEEK_MS)
  }
  let told: Place | undefined
  if (repeats) {
    void isAstray(source, () => repeats.latest, silence.signal).then(
      (astray) => astray && silence.abort(),
      () => {},
    )
  }
  try {
    listen()
    for await (const some of source.open(request, silence.signal)) {
      // What is followed is looked at record by record: it may come again, and silence is timed.
      if (!request.follow && some instanceof Block && scan.isInStepWith(some)) {
        const lines = scan.pass(some)
        told = scan.place
        yield { lines, place: told }
        continue
      }
      const records = recordsOf(some)
      const fresh = repeats?.before(records) ?? records
      // Sources put what stands behind a damage at the head of a batch.
      const [first] = fresh
      const gap = first?.damaged && scan.seek === "found" ? damage(first) : undefined
      const lines = scan.push(fresh)
      if (scan.seek === "seeking" && request.tail !== undefined && scan.seen >= request.tail) break
      if (scan.seek === "lost") break
      if (scan.seek === "found" && (lines.length > 0 || gap || !told)) {
        told = scan.place
        yield { lines, place: told, ...(gap && { gap }) }
      }
      if (scan.done || fresh.length < records.length) break
      listen()
    }
    if (!request.follow && !signal.aborted) scan.pause()
    if (request.tail !== undefined) scan.finish(scan.seen < request.tail)
    if (scan.seek === "found" && !signal.aborted) {
      const lines = scan.clean || !(await isOver()) ? [] : scan.end()
      const { place } = scan
      // A place that says what stood there is better than one that says a time.
      if (!told || lines.length > 0 || formatPlace(told) !== formatPlace(place))
        yield { lines, place }
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
  return scan
}
