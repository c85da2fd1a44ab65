/**
 * A log's files as a source of records. A follow reads on for as long as it can prove that nothing is missing;
 * else it ends, and whoever follows finds its place again, or says a gap.
 */
import { type FSWatcher, watch } from "node:fs"
import { dirname } from "node:path"
import { Bell } from "../bell.ts"
import type { RecordRequest, RecordSource } from "../logapi/source.ts"
import type { LineRules } from "../records/lines.ts"
import type { LogRecord } from "../records/record.ts"
import { ForwardReader, type ParseRecord } from "./forward.ts"
import { seekTail, seekTime, type Spot } from "./seek.ts"
import type { Segment } from "./segment.ts"
import { closeAll, idOf, openSegments } from "./segments.ts"

/** Where the kernel tells of no change (network and overlay file systems), it is looked for so often. */
const POLL_MS = 500

/** Behind a silence of so long, and ever longer ones, is asked whether the container still runs. */
const ASK_MS = { first: 250, most: 30_000 }

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

/** What the file holds now. False: it was truncated. */
async function* readOn(
  reader: ForwardReader,
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[], boolean> {
  for (;;) {
    const records = await reader.next()
    if (!records) return false
    if (records.length === 0 || signal.aborted) return true
    let from = 0
    for (const [at, { damaged }] of records.entries()) {
      if (!damaged || at === 0) continue
      yield records.slice(from, at)
      from = at
    }
    yield from === 0 ? records : records.slice(from)
  }
}

/** What is appended to the newest file. True: to its end, as it is not the newest any more. */
async function* follow(
  { path, running }: LogFile,
  reader: ForwardReader,
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[], boolean> {
  const bell = new Bell()
  const watcher = ringOnChange(dirname(path), bell)
  let askMs = ASK_MS.first
  let silentSince = performance.now()
  let stopped = false
  try {
    while (!signal.aborted) {
      const seen = bell.count
      // Looked at before the read: what was written up to then is read.
      const replaced = (await idOf(path)) !== reader.segment.id
      const before = reader.at
      if (!(yield* readOn(reader, signal))) return false
      if (replaced) return true
      if (stopped) return false
      if (reader.at > before) [silentSince, askMs] = [performance.now(), ASK_MS.first]
      if (performance.now() - silentSince >= askMs) {
        stopped = !(await running(signal))
        askMs = Math.min(askMs * 2, ASK_MS.most)
        // Once more, for what was written before it stopped.
        if (stopped) continue
      }
      await bell.past(seen, POLL_MS, signal)
    }
    return false
  } finally {
    watcher?.close()
  }
}

function ringOnChange(directory: string, bell: Bell): FSWatcher | undefined {
  try {
    const watcher = watch(directory, () => bell.ring())
    watcher.on("error", () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
