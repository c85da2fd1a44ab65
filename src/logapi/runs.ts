/**
 * Tells a line that its container left unfinished from the one that its next run begins with, where the records
 * themselves do not: only a line that is half read needs to know when that run began.
 */
import { Block, recordsOf } from "../records/block.ts"
import type { LogRecord } from "../records/record.ts"
import type { StreamName } from "../runtime.ts"
import { type Instant, now } from "../time.ts"
import type { RecordSource } from "./source.ts"

/** `border`: a time between the latest run and the one before. Where earlier runs ended nobody can tell. */
export function markRuns(
  source: RecordSource,
  border: (signal: AbortSignal) => Promise<Instant | undefined>,
): RecordSource {
  return {
    ...source,
    async *open(request, signal) {
      /** When the last part of each line that is half read was stamped. */
      const pending = new Map<StreamName, Instant>()
      let asked: Instant | undefined
      let between: Instant | undefined
      for await (const records of source.open(request, signal)) {
        // A block holds whole lines: of none of them the next run could begin with the rest.
        if (records instanceof Block && pending.size === 0) {
          yield records
          continue
        }
        const marked: LogRecord[] = []
        for (const record of recordsOf(records)) {
          const { stream, timestamp } = record
          if (pending.size > 0 && timestamp > (asked ?? "")) {
            asked = now()
            between = await border(signal)
          }
          const isNext =
            between !== undefined && between < timestamp && isAnyBefore(pending, between)
          if (isNext) pending.clear()
          if (record.ended) pending.delete(stream)
          else pending.set(stream, timestamp)
          marked.push(isNext ? { ...record, opensRun: true } : record)
        }
        yield marked
      }
    },
  }
}

function isAnyBefore(pending: ReadonlyMap<StreamName, Instant>, time: Instant): boolean {
  for (const timestamp of pending.values()) if (timestamp <= time) return true
  return false
}
