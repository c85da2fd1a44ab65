/**
 * Notices when a follow waits at a log that nobody writes to any more: an engine before 23 that rotates a log in
 * the moment in which a follow is opened goes on with the old file, and passes over the whole next one. Until then
 * nothing comes, so that one look at the log's newest record tells.
 */
import { setTimeout as delay } from "node:timers/promises"
import { recordsOf } from "../records/block.ts"
import type { LogRecord } from "../records/record.ts"
import type { Instant } from "../time.ts"
import type { RecordSource } from "./source.ts"

/** From the opening to the look, and from the look to the judgement: something has come by then. */
const LOOK_MS = 250

/** `latest` is the time that the follow has come to. Rejects when the signal is aborted, or the log cannot be read. */
export async function isAstray(
  source: RecordSource,
  latest: () => Instant | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  await delay(LOOK_MS, undefined, { signal })
  let newest: LogRecord | undefined
  for await (const records of source.open({ tail: 1, follow: false }, signal)) {
    newest = recordsOf(records).at(-1)
  }
  const before = latest()
  await delay(LOOK_MS, undefined, { signal })
  // The last line of a terminal is held back until it has an end.
  return newest?.ended === true && newest.timestamp > (before ?? "") && latest() === before
}
