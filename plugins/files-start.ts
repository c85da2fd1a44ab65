/** Where to begin to read a log that is asked for from a time on, if its lines do not say their times. */
import { stat } from "node:fs/promises"
import { Segment } from "../src/logfile/segment.ts"
import type { Gap, Start } from "../src/runtime.ts"
import { shift, toInstant } from "../src/time.ts"
import { timesOf } from "./files-lines.ts"

/** A file system's clock stands still for so many nanoseconds, and is so far behind ours. */
const TICK = 10_000_000n

/**
 * At the end, if none of its lines is stamped later: else nothing that is written from now on would come for as long.
 * Behind a gap, if the file was written to since that time.
 */
export async function beginningOf(
  path: string,
  start: Start,
): Promise<{ readonly start: Start; readonly gap?: Gap }> {
  if (start.from !== "time") return { start }
  // What is wrong with it is said by the read.
  await using file = await Segment.open(path).catch(() => undefined)
  const status = await stat(path, { bigint: true }).catch(() => undefined)
  if (!file || !status || (await timesOf(file)) !== "nobody") return { start }
  const { size, mtimeNs } = status
  if (start.after < shift(file.bornAt, size)) return { start }
  const from = shift(start.after, -TICK)
  if (file.bornAt > from) return { start: { from: "time", after: shift(file.bornAt, -1n) } }
  const gap = { reason: "ambiguous", from: start.after } as const
  return { start: { from: "end" }, ...(toInstant(mtimeNs) > from && { gap }) }
}
