/**
 * A container's log as `nerdctl logs` prints it, for where its file cannot be read. The streams come through two
 * pipes, so that only their times put them in order; and only a log that was printed to its end can be put so.
 */
import type { Readable } from "node:stream"
import { LinkedAbort } from "../src/abort.ts"
import { readChunks } from "../src/logapi/chunks.ts"
import type { RecordRequest, RecordSource } from "../src/logapi/source.ts"
import type { LineRules } from "../src/records/lines.ts"
import type { LogRecord } from "../src/records/record.ts"
import type { StreamName } from "../src/runtime.ts"
import { parseInstant } from "../src/records/instant.ts"
import { type Instant, toUnixSeconds } from "../src/time.ts"
import { complaintOf } from "./command.ts"
import { isGone, type Nerdctl, unavailable } from "./nerdctl-client.ts"

/** So much is held to put it in order. A log is 100 MB as long as nobody says otherwise. */
const MOST_BYTES = 268_435_456

/** In which it must have been printed. */
const DEADLINE_MS = 60_000

/** nerdctl stores what it reads at once as it comes: parts of any size, each with a time of its own. */
export function lineRules(terminal: boolean, limitBytes: number): LineRules {
  return { partsShareTime: false, crlf: terminal, limitBytes }
}

export function nerdctlRecords(
  nerdctl: Nerdctl,
  id: string,
  rules: LineRules,
  running: RecordSource["running"],
): RecordSource {
  return {
    rules,
    repeats: false,
    polled: true,
    running,
    async *open(request: RecordRequest, signal: AbortSignal) {
      const printed = await print(nerdctl, [...toFlags(request), id], signal)
      if (!printed) return
      const [stdout, stderr] = printed
      const records = merge(parsePrinted(stdout, "stdout"), parsePrinted(stderr, "stderr"))
      if (records.length > 0) yield records
    },
  }
}

/** Times are rounded down to the second. Ordered by time, what is older stands nowhere behind. */
function toFlags({ tail, from, since }: RecordRequest): string[] {
  const time = from ?? since
  return [
    "--timestamps",
    ...(tail === undefined ? [] : [`--tail=${tail}`]),
    ...(time === undefined ? [] : [`--since=${toUnixSeconds(time)}`]),
  ]
}

/** Both pipes, whole. `undefined`: there is no such container any more, or nobody waits for it. */
async function print(
  nerdctl: Nerdctl,
  args: readonly string[],
  signal: AbortSignal,
): Promise<readonly [stdout: string, stderr: string] | undefined> {
  using abort = new LinkedAbort(signal)
  const timer = setTimeout(abort.abort, DEADLINE_MS)
  try {
    await using child = nerdctl.start("logs", args, abort.signal)
    await child.started
    const [stdout, stderr] = await Promise.all([
      readAll(child.stdout, abort.signal),
      readAll(child.stderr, abort.signal),
    ])
    const exit = await child.exited
    if (signal.aborted) return undefined
    if (abort.signal.aborted) throw unavailable("its logs command does not come to an end")
    if (exit === 0) return [stdout, stderr]
    const complaint = complaintOf(stderr.split("\n").filter(isOwn).join("\n"), exit)
    if (isGone(complaint)) return undefined
    throw complaint
  } finally {
    clearTimeout(timer)
  }
}

async function readAll(pipe: Readable, signal: AbortSignal): Promise<string> {
  let all = ""
  for await (const chunk of readChunks(pipe, signal)) {
    all += chunk
    if (all.length > MOST_BYTES) throw unavailable("a log is too long to be read through nerdctl")
  }
  return all
}

/** What nerdctl itself says, among what the container wrote. */
function isOwn(line: string): boolean {
  return line.startsWith('time="')
}

const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z /g

/**
 * Each record begins with its time; one that a part of a line ended has the next one's time in its midst. Times
 * that the container writes itself are earlier than that at which they were stored.
 */
export function parsePrinted(printed: string, stream: StreamName): LogRecord[] {
  const records: LogRecord[] = []
  const lines = printed.split("\n")
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1
    if (isOwn(line) || (isLast && line === "")) continue
    let timestamp: Instant | undefined
    let begin = 0
    const add = (end: number, ended: boolean) => {
      if (timestamp) records.push({ stream, timestamp, text: line.slice(begin, end), ended })
    }
    for (const { 0: stamp, index: at } of line.matchAll(STAMP)) {
      const time = parseInstant(stamp, 0, stamp.length - 1)
      if (!time || (timestamp ? time < timestamp : at > 0)) continue
      add(at, false)
      timestamp = time
      begin = at + stamp.length
    }
    add(line.length, !isLast)
  }
  return records
}

/** Each stream keeps its own order. */
function merge(stdout: readonly LogRecord[], stderr: readonly LogRecord[]): LogRecord[] {
  const merged: LogRecord[] = []
  let next = 0
  for (const record of stdout) {
    for (let other = stderr[next]; other && other.timestamp < record.timestamp;) {
      merged.push(other)
      other = stderr[(next += 1)]
    }
    merged.push(record)
  }
  return [...merged, ...stderr.slice(next)]
}
