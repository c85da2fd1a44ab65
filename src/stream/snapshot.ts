/**
 * A snapshot: what an app's containers have logged up to one instant, the same for all of them, so that a
 * stream which begins at the snapshot's last line neither repeats nor loses one.
 *
 * A runtime stamps a line a moment before it can be read. Where a container has just written, the cut is therefore
 * left to settle, and what came in time is read again; and where it fell between two lines that are stamped out of
 * order, another one is made.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { App, Member } from "../apps/app.ts"
import { Failure } from "../errors.ts"
import type { Batch, Line, ReadOptions, Start } from "../runtime.ts"
import { type Instant, shift, toInstant } from "../time.ts"
import type { LogReader } from "./counted.ts"
import { containerKey, formatCursor } from "./cursor.ts"
import { lineFilter, passesAll, selectMembers } from "./filter.ts"
import { mergeByTime } from "./merge.ts"
import type { LogQuery } from "./query.ts"
import type { MemberLine, Snapshot } from "./service.ts"
import { entriesOf, Packed, type Some } from "./some.ts"

/** From a line's stamp to its being readable, on a busy host. */
const SETTLE_MS = 250

/** How often a cut is looked for behind which nothing is out of order, while something is written. */
const TRIES = 4

/** For so long a container may be there before the directory learns of it. */
const LEARNING = 30_000_000_000n

/** What is asked of each container before it is known which lines the merge will keep. */
interface Tail {
  readonly member: Member
  readonly lines: readonly Line[]
  readonly position: string
  /** The newest line looked at. */
  readonly newest: Instant | undefined
  /** The newest one that passes, and does not come from a clock that was ahead. */
  readonly latest: Instant | undefined
}

export async function takeSnapshot(
  runtime: LogReader,
  app: App,
  query: LogQuery,
  signal: AbortSignal,
): Promise<Snapshot> {
  const members = selectMembers(app, query)
  const wanted = query.tail === "all" ? 1 : (query.tail ?? 0) + 1
  for (let tries = 1; ; tries++) {
    const openedMs = Date.now()
    const cut = toInstant(BigInt(openedMs + 1) * 1_000_000n - 1n)
    const read = () => readTails(runtime, members, query, wanted, cut, signal)
    let tails = await read()
    const settled = shift(cut, -BigInt(SETTLE_MS) * 1_000_000n)
    const isWriting = tails.some(({ newest }) => newest !== undefined && newest > settled)
    if (isWriting) {
      await delay(Math.max(0, openedMs + SETTLE_MS - Date.now()), undefined, { signal })
      tails = await read()
    }
    const merged: MemberLine[] = []
    for await (const some of mergeByTime(tails.map(tailLines))) {
      // One by one: there may be more of them than a call takes arguments.
      for (const line of entriesOf(some)) merged.push(line)
    }
    if (isWriting && tries < TRIES && !endsAtLatest(merged, tails)) continue

    const cursor = formatCursor({ opened: shift(cut, -LEARNING), positions: positionsOf(tails) })
    if (query.tail === "all") {
      const lines = readAll(runtime, tails, query, cut, signal)
      return { lines, cursor, truncated: false, members }
    }
    const kept = merged.slice(Math.max(0, merged.length - wanted + 1))
    return { lines: once(kept), cursor, truncated: kept.length < merged.length, members }
  }
}

/**
 * Whether no line is stamped later than the last one. Two streams of a container are stamped by two writers, a
 * little out of order: a stream that begins at an end in between would send the later lines again.
 */
function endsAtLatest(merged: readonly MemberLine[], tails: readonly Tail[]): boolean {
  const end = merged.at(-1)?.line.timestamp
  return end === undefined || tails.every(({ latest }) => latest === undefined || latest <= end)
}

function positionsOf(tails: readonly Tail[]): Map<string, string> {
  const positions = new Map<string, string>()
  for (const { member, position } of tails) {
    // A container that was removed meanwhile has no position.
    if (position !== "") positions.set(containerKey(member.container.id), position)
  }
  return positions
}

/** The last lines of each container that can be read. Throws when none can. */
async function readTails(
  runtime: LogReader,
  members: readonly Member[],
  query: LogQuery,
  wanted: number,
  until: Instant,
  signal: AbortSignal,
): Promise<Tail[]> {
  const tails = await Promise.allSettled(
    members.map((member) =>
      readTail(runtime, member, query, wanted, { until, follow: false, signal }),
    ),
  )
  const read: Tail[] = []
  let unreadable: Failure | undefined
  for (const tail of tails) {
    if (tail.status === "fulfilled") read.push(tail.value)
    else if (isUnreadable(tail.reason)) unreadable = tail.reason
    else throw tail.reason
  }
  if (unreadable && read.length === 0) throw unreadable
  return read
}

async function readTail(
  runtime: LogReader,
  member: Member,
  query: LogQuery,
  wanted: number,
  options: ReadOptions,
): Promise<Tail> {
  const { since, until } = query
  const passes = query.tail === "all" ? () => true : lineFilter(query)
  const { until: cut } = options
  let newest: Instant | undefined
  let latest: Instant | undefined
  const where = (line: Line) => {
    const { timestamp } = line
    if (newest === undefined || timestamp > newest) newest = timestamp
    if ((until !== undefined && timestamp > until) || !passes(line)) return false
    const isAhead = cut !== undefined && timestamp > cut
    if (!isAhead && (latest === undefined || timestamp > latest)) latest = timestamp
    return true
  }
  // With a time to begin at, its lines are few; without, reading backwards finds the last ones soonest.
  const start: Start =
    since === undefined ? { from: "last", lines: wanted, where } : { from: "time", after: since }
  let lines: Line[] = []
  let position = ""
  for await (const batch of runtime.read(member.container, start, options)) {
    for (const line of batch.lines) if (since === undefined || where(line)) lines.push(line)
    if (lines.length > 2 * wanted) lines = lines.slice(-wanted)
    position = batch.position
  }
  return { member, lines: lines.slice(-wanted), position, newest, latest }
}

/** Everything, in bounded memory: read once more, from the beginning up to the cut. */
async function* readAll(
  runtime: LogReader,
  tails: readonly Tail[],
  query: LogQuery,
  cut: Instant,
  signal: AbortSignal,
): AsyncGenerator<Some<MemberLine>, void> {
  const { since, until } = query
  const passes = lineFilter(query)
  const start: Start = since === undefined ? { from: "beginning" } : { from: "time", after: since }
  const options: ReadOptions = { until: cut, follow: false, signal }
  const isAll = until === undefined && passesAll(query)
  const where = (line: Line) => (until === undefined || line.timestamp <= until) && passes(line)
  yield* mergeByTime(
    tails.map(({ member }) => {
      const batches = runtime.read(member.container, start, options)
      return memberLines(member, batches, isAll ? undefined : where)
    }),
  )
}

/** Those for which `where` holds: all, if it is not given. */
async function* memberLines(
  member: Member,
  batches: AsyncIterable<Batch>,
  where: ((line: Line) => boolean) | undefined,
): AsyncGenerator<Some<MemberLine>, void> {
  for await (const batch of batches) {
    const { block, position } = batch
    const unpack = () => batch.lines.map((line) => ({ member, line }))
    if (block && !where) yield new Packed(member, block, position, unpack)
    else yield* once(unpack().filter(({ line }) => where?.(line) ?? true))
  }
}

function tailLines({ member, lines }: Tail): AsyncGenerator<readonly MemberLine[], void> {
  return once(lines.map((line) => ({ member, line })))
}

async function* once(lines: readonly MemberLine[]): AsyncGenerator<readonly MemberLine[], void> {
  if (lines.length > 0) yield lines
}

function isUnreadable(error: unknown): error is Failure {
  return error instanceof Failure && error.code === "log_driver_unreadable"
}
