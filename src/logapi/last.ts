/** The last so many lines of a log, through an API that counts records, not lines, and cannot filter. */
import { recordsOf } from "../records/block.ts"
import type { Line, Start, StreamName } from "../runtime.ts"
import { horizon, type PassOptions } from "./pass.ts"
import type { Place } from "./place.ts"
import { Scan } from "./scan.ts"
import type { RecordSource } from "./source.ts"

/** What one step back takes more than the one before. */
const GROWTH = 4

export interface Last {
  readonly lines: readonly Line[]
  /** The place behind all that the log held. */
  readonly place: Place
}

/** So many records more are asked for than lines are wanted: they only show where lines begin. */
export interface Slack {
  readonly first: number
  /** Where a stream has not been heard of within the first ones, its next record may be the end of a line. */
  readonly most: number
}

export async function readLast(
  source: RecordSource,
  start: Start & { from: "last" },
  { first, most }: Slack,
  options: PassOptions,
): Promise<Last> {
  for (let slack = first, tail = start.lines + first; ;) {
    const scan = new Scan({ at: "middle" }, source.rules, { until: options.until, horizon })
    const kept: Line[] = []
    /** What came up to a line that may lack its head: right only if this was the whole log. */
    const unsure: Line[] = []
    /** Whether the next line of a stream that was seen near the start may lack its head. */
    const torn = new Map<StreamName, boolean>()
    const keep = (lines: readonly Line[]) => {
      for (const line of lines) {
        if (start.where(line)) kept.push(line)
        if (!torn.get(line.stream)) continue
        torn.set(line.stream, false)
        for (const early of kept.splice(0)) unsure.push(early)
      }
      // Dropped in one go, not one by one: a shift costs as much as what is kept.
      if (kept.length > 2 * start.lines + slack) kept.splice(0, kept.length - start.lines)
    }
    let isLate = false
    for await (const some of source.open({ tail, follow: false }, options.signal)) {
      const records = recordsOf(some)
      let seen = scan.seen
      for (const { stream } of records) {
        const isNear = seen++ < slack
        if (torn.has(stream)) continue
        torn.set(stream, isNear)
        isLate ||= !isNear
      }
      keep(scan.push(records))
    }
    if (!scan.clean && (await options.isOver())) keep(scan.end())
    const whole = scan.seen < tail
    if (isLate && !whole && slack < most && !options.signal.aborted) {
      slack = Math.min(slack * GROWTH, most)
      tail = Math.max(tail, start.lines + slack)
      continue
    }
    scan.finish(whole)
    const lines = whole ? [...unsure, ...kept] : kept
    if (whole || lines.length >= start.lines || options.signal.aborted) {
      return { lines: lines.slice(Math.max(0, lines.length - start.lines)), place: scan.place }
    }
    tail *= GROWTH
  }
}
