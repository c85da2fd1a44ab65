/** The last so many lines of a log, through an API that counts records, not lines, and cannot filter. */
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

/**
 * `slack` records more are asked for than lines are wanted: the first ones may be the end of a line that began
 * before them, and only show where lines begin.
 */
export async function readLast(
  source: RecordSource,
  start: Start & { from: "last" },
  slack: number,
  options: PassOptions,
): Promise<Last> {
  for (let tail = start.lines + slack; ; tail *= GROWTH) {
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
        unsure.push(...kept.splice(0))
      }
      // Dropped in one go, not one by one: a shift costs as much as what is kept.
      if (kept.length > 2 * start.lines + slack) kept.splice(0, kept.length - start.lines)
    }
    for await (const records of source.open({ tail, follow: false }, options.signal)) {
      for (const { stream } of records.slice(0, Math.max(0, slack - scan.seen))) {
        if (!torn.has(stream)) torn.set(stream, true)
      }
      keep(scan.push(records))
    }
    if (!scan.clean && (await options.isOver())) keep(scan.end())
    const whole = scan.seen < tail
    scan.finish(whole)
    const lines = whole ? [...unsure, ...kept] : kept
    if (whole || lines.length >= start.lines || options.signal.aborted) {
      return { lines: lines.slice(Math.max(0, lines.length - start.lines)), place: scan.place }
    }
  }
}
