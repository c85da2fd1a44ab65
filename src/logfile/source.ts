/**
 * A log's files as a source of records. A follow reads on for as long as it can prove that nothing is missing;
 * else it ends, and whoever follows finds its place again, or says a gap.
 */
import type { RecordRequest, RecordSource } from "../logapi/source.ts"
import type { LineRules } from "../records/lines.ts"
import { follow } from "./follow.ts"
import { ForwardReader, type ParseRecord, readOn } from "./forward.ts"
import { seekTail, seekTime, type Spot } from "./seek.ts"
import type { Segment } from "./segment.ts"
import { closeAll, openSegments } from "./segments.ts"

export interface LogFile {
  /** Of the file that is written to. */
  readonly path: string
  readonly parse: ParseRecord
  readonly rules: LineRules
  readonly running: (signal: AbortSignal) => Promise<boolean>
}

/** There is no file any more, and nobody who would write one: the container was removed. */
export class LogGone extends Error {}

export function fileRecords(file: LogFile): RecordSource {
  const { rules, running } = file
  return {
    rules,
    repeats: false,
    running,
    async *open(request: RecordRequest, signal: AbortSignal) {
      let segments = await openSegments(file.path)
      if (segments.length === 0 && !(await running(signal))) throw new LogGone()
      try {
        let { segment: index, at } = await seek(segments, request, file.parse)
        let isTorn = false
        while (index < segments.length) {
          const isNewest = index === segments.length - 1
          const reader = new ForwardReader(segments[index] as Segment, at, file.parse, isTorn)
          const isWhole = yield* readOn(reader, signal)
          if (signal.aborted || !isWhole || (isNewest && !request.follow)) return
          if (isNewest) {
            if (!(yield* follow(file, reader, signal))) return
            // Only a file that is still there proves which one comes next.
            const newer = await openSegments(file.path)
            await closeAll(segments)
            segments = newer
            index = segments.findIndex(({ id }) => id === reader.segment.id)
            if (index < 0 || index === segments.length - 1) return
          }
          index++
          at = 0
          isTorn = reader.isTorn
        }
      } finally {
        await closeAll(segments)
      }
    },
  }
}

function seek(
  segments: readonly Segment[],
  { tail, from, since }: RecordRequest,
  parse: ParseRecord,
): Promise<Spot> | Spot {
  if (tail !== undefined) return seekTail(segments, tail)
  const time = from ?? since
  return time === undefined ? { segment: 0, at: 0 } : seekTime(segments, time, parse)
}
