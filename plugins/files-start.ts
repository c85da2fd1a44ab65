/** Where to begin to read a log that is asked for from a time on, if its lines do not say their times. */
import { stat } from "node:fs/promises"
import { Segment } from "../src/logfile/segment.ts"
import type { Gap, Start } from "../src/runtime.ts"
import { toInstant } from "../src/time.ts"
import { timesOf } from "./files-lines.ts"

/**
 * From the end, so that what is written from now on is not missed for ever. Behind a gap, if the file was written to
 * since that time.
 */
export async function beginningOf(
  path: string,
  start: Start,
): Promise<{ readonly start: Start; readonly gap?: Gap }> {
  if (start.from !== "time") return { start }
  await using file = await Segment.open(path)
  if (!file || file.bornAt > start.after || (await timesOf(file)) !== "nobody") return { start }
  const { mtimeNs } = await stat(path, { bigint: true })
  const isWrittenSince = toInstant(mtimeNs) > start.after
  const gap = { reason: "ambiguous", from: start.after } as const
  return { start: { from: "end" }, ...(isWrittenSince && { gap }) }
}
