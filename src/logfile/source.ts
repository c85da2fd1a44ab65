/**
 * A log's files as a source of records. A follow reads on for as long as it can prove that nothing is missing;
 * else it ends, and whoever follows finds its place again, or says a gap.
 */
import type { RecordRequest, RecordSource } from "../logapi/source.ts"
import type { LineRules } from "../records/lines.ts"
import type { Records } from "../records/block.ts"
import type { RecordFormat } from "../records/format.ts"
import { follow } from "./follow.ts"
import { type FormatAt, ForwardReader, readOn } from "./forward.ts"
import { type Seek, seekBeginning, seekTail, seekTime } from "./seek.ts"
import type { Segment } from "./segment.ts"
import { closeAll, openSegments, type Rotation } from "./segments.ts"
import { isSuccessor } from "./successor.ts"

interface Followed {
  /** Of the file that is written to. */
  readonly path: string
  readonly rules: LineRules
  readonly rotation: Rotation
  readonly running: (signal: AbortSignal) => Promise<boolean>
}

/** An engine's: each record says all of itself, and what has no line feed behind it is none. */
interface RecordFile extends Followed {
  readonly format: RecordFormat
}

/** A program's: a line's time may be that of a line before it, and the last line may lack its line feed. */
interface TextFile extends Followed {
  readonly formatAt: FormatAt
}

export type LogFile = RecordFile | TextFile

/** There is no file any more, and nobody who would write one: the container was removed. */
export class LogGone extends Error {}

export function fileRecords(file: LogFile): RecordSource {
  const { rules, running } = file
  const isText = "formatAt" in file
  const formatAt: FormatAt = isText ? file.formatAt : async () => file.format
  return {
    rules,
    repeats: false,
    running,
    async *open(request: RecordRequest, signal: AbortSignal): AsyncGenerator<Records, void> {
      /** Those still to be read, the oldest first. None is kept open behind that. */
      const seeking = () => seekOf(request, formatAt)
      const { segments, at: start } = await openSegments(file.path, file.rotation, seeking)
      const pass = (count: number) => closeAll(segments.splice(0, count))
      if (segments.length === 0 && !(await running(signal))) throw new LogGone()
      try {
        let at = start
        let isTorn = false
        // Of a log that is followed a few records come at a time, and of its tail few are read.
        const isWhole = !request.follow && request.tail === undefined
        const readAs = (format: RecordFormat): RecordFormat =>
          isWhole ? format : { parse: format.parse }
        for (let segment = segments[0]; segment; segment = segments[0]) {
          const isNewest = segments.length === 1
          const format = readAs(await formatAt(segment, at))
          const reader = new ForwardReader(segment, at, format, isTorn)
          const isUntouched = yield* readOn(reader, signal)
          if (signal.aborted || !isUntouched) return
          if (isNewest && !request.follow) {
            if (isText && reader.isTorn && !(await running(signal))) yield* rest(reader)
            return
          }
          if (isNewest) {
            if (!(yield* follow(file, reader, signal))) return
            const newer = await openFrom(file, segment)
            segments.push(...newer)
            const next = await findNext(file, newer, segment)
            if (next === undefined) return
            await pass(next)
          }
          await pass(1)
          if (isText) yield* rest(reader)
          at = 0
          isTorn = reader.isTorn
        }
      } finally {
        await closeAll(segments)
      }
    },
  }
}

/** The last line of a file that nobody writes to any more. */
function* rest(reader: ForwardReader): Generator<Records> {
  const records = reader.takeRest()
  if (records.length > 0) yield records
}

/** Which of the files comes after the one that was read, if that can be proven. */
async function findNext(
  { rotation }: LogFile,
  segments: readonly Segment[],
  read: Segment,
): Promise<number | undefined> {
  const index = segments.findIndex(({ id }) => id === read.id)
  if (index >= 0) return index + 1 < segments.length ? index + 1 : undefined
  // Only a file that is still there proves which one comes next, or one that has just been put into its place.
  const [newer] = segments
  return newer && rotation === "replace" && (await isSuccessor(newer, read)) ? 0 : undefined
}

/** The file that was read and those behind it, or all there are. */
async function openFrom({ path, rotation }: LogFile, { id }: Segment): Promise<Segment[]> {
  const isRead = async (segment: Segment) => (segment.id === id ? 0 : undefined)
  return (await openSegments(path, rotation, () => isRead)).segments
}

function seekOf({ tail, from, since }: RecordRequest, formatAt: FormatAt): Seek {
  if (tail !== undefined) return seekTail(tail)
  const time = from ?? since
  return time === undefined ? seekBeginning() : seekTime(time, formatAt)
}
