/** What an app's logs hold behind a client's cursor, read for that client alone: merged by time, as fast as it takes it. */
import type { Member } from "../apps/app.ts"
import { Failure } from "../errors.ts"
import type { Line, Start } from "../runtime.ts"
import { Scratch } from "../scratch.ts"
import { type Instant, shift } from "../time.ts"
import type { Encoded, Form } from "./chunk.ts"
import type { LogReader } from "./counted.ts"
import { type Cursor, MovingCursor, readCursor } from "./cursor.ts"
import { type Entry, readEntries } from "./entry.ts"
import type { StreamEvent } from "./events.ts"
import { lineFilter, passesAll } from "./filter.ts"
import { mergeByTime } from "./merge.ts"
import type { LogQuery } from "./query.ts"
import type { Delivery } from "./service.ts"
import { entriesOf, Packed, type Some } from "./some.ts"
import { startOf } from "./start.ts"

export interface ReplayOptions {
  readonly runtime: LogReader
  readonly members: readonly Member[]
  /** Asked while a container is read: what it says then is not this app's any more. */
  readonly hasMoved: (member: Member) => boolean
  readonly query: LogQuery
  readonly form: Form
  /** Where the client stands. */
  readonly cursor: Cursor
  /** It begins with the last lines that the query asks for. */
  readonly wantsLast: boolean
  readonly signal: AbortSignal
}

export class Replay {
  readonly #options: ReplayOptions
  readonly #passes: (line: Line) => boolean
  readonly #scratch = new Scratch()
  /** What could not be read just now. */
  readonly #failed: Member[] = []
  #cursor: MovingCursor
  #readUpTo: Instant | undefined

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#passes = lineFilter(options.query)
    this.#cursor = new MovingCursor(options.cursor)
  }

  /** Behind what is handed over. */
  get cursor(): string {
    return this.#cursor.text
  }

  /** How late the lines are that were read last, whether they passed or not. */
  get readUpTo(): Instant | undefined {
    return this.#readUpTo
  }

  async *run(): AsyncGenerator<Delivery, void> {
    const { cursor, members, query, signal, wantsLast } = this.#options
    const { tail } = query
    const merged = mergeByTime(members.map((member) => this.#read(member)))
    if (!wantsLast || typeof tail !== "number") {
      for await (const some of merged) yield this.#encode(some) ?? this.#toEvents(entriesOf(some))
      return
    }
    const entries = await keepLast(merged, tail, this.#passes)
    if (signal.aborted) return
    const oldest = entries.find(({ line }) => line !== undefined)?.line
    // A client that is cut off inside of this reads the rest by time: its containers have no position yet.
    // A stamp may be a little later than this clock, whose steps are milliseconds: the opening stays.
    if (oldest && oldest.timestamp <= cursor.opened) {
      const opened = shift(oldest.timestamp, -1n)
      this.#cursor = new MovingCursor({ ...cursor, opened })
    }
    // What is written from now on comes when it can be read; what was written before does not.
    const gaps = this.#failed.map((member): StreamEvent => {
      return { type: "gap", member, reason: "runtime_error", cursor: "" }
    })
    const events = this.#toEvents(entries)
    // All have come: what could not be read goes on from the opening, and not from the oldest line of the others.
    const { positions } = readCursor(this.cursor)
    this.#cursor = new MovingCursor({ opened: cursor.opened, positions })
    const last = events.pop()
    yield [...gaps, ...events, ...(last ? [{ ...last, cursor: this.cursor }] : [])]
  }

  /** A container's entries, from what its log holds. One that cannot be read hurts no other. */
  async *#read(member: Member): AsyncGenerator<Some<Entry>, void> {
    const { hasMoved, runtime, signal } = this.#options
    const options = { follow: false, signal }
    try {
      for await (const some of readEntries(runtime, member, this.#startOf(member), options)) {
        if (hasMoved(member)) return
        yield some
      }
    } catch (error) {
      // The channel reads it, too, and says what is wrong with it.
      if (Failure.from(error).code !== "log_driver_unreadable") this.#failed.push(member)
    }
  }

  #startOf({ container }: Member): Start {
    const { cursor, query, wantsLast } = this.#options
    const { tail } = query
    const position = this.#cursor.position(container.id)
    if (position !== undefined) return { from: "position", position }
    if (wantsLast && typeof tail === "number")
      return { from: "last", lines: tail, where: this.#passes }
    return startOf(container, cursor.opened)
  }

  /** A block of which all lines pass. */
  #encode(some: Some<Entry>): Encoded | undefined {
    const { form, query } = this.#options
    if (!(some instanceof Packed) || !passesAll(query)) return undefined
    const { member, block, position } = some
    const { id } = member.container
    const bytes = form.encodeBlock(member, block, this.#cursor.around(id), this.#scratch)
    this.#cursor.move(id, position)
    this.#readUpTo = block.latest
    return { bytes, lines: block.length }
  }

  #toEvents(entries: readonly Entry[]): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const { member, line, gap, position } of entries) {
      // A client that has seen the gap, and not the line behind it, comes back for both.
      if (gap) events.push({ type: "gap", member, ...gap, cursor: this.#cursor.text })
      this.#cursor.move(member.container.id, position)
      this.#readUpTo = line?.timestamp ?? this.#readUpTo
      if (line && this.#passes(line)) {
        events.push({ type: "log", member, line, cursor: this.#cursor.text })
      }
    }
    return events
  }
}

/** The last `count` lines that pass; of what came before, only how far it went. */
async function keepLast(
  merged: AsyncIterable<Some<Entry>>,
  count: number,
  passes: (line: Line) => boolean,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const some of merged) for (const entry of entriesOf(some)) entries.push(entry)
  let surplus = entries.filter(({ line }) => line && passes(line)).length - count
  return entries.map((entry) => {
    if (!entry.line || !passes(entry.line) || surplus-- <= 0) return entry
    return { member: entry.member, position: entry.position }
  })
}
