/**
 * One client's live stream. It is a cursor in one of two states: **replaying**, where the logs are read for it,
 * merged by time, as fast as it takes them; or **live**, where what the containers write comes through an inbox.
 * A client that lets its inbox run full replays again from its cursor: so it loses nothing, and costs
 * nobody memory.
 */
import { LinkedAbort } from "../abort.ts"
import type { Directory } from "../apps/directory.ts"
import type { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import type { Line, ReadOptions, Start } from "../runtime.ts"
import { now, shift } from "../time.ts"
import type { LogReader } from "./counted.ts"
import { MovingCursor } from "./cursor.ts"
import { type Entry, readEntries } from "./entry.ts"
import type { StreamEvent } from "./events.ts"
import { lineFilter } from "./filter.ts"
import { follow } from "./follow.ts"
import { Inbox, type Item } from "./inbox.ts"
import { mergeByTime } from "./merge.ts"
import type { LogQuery } from "./query.ts"
import { type Seat, Seats } from "./seats.ts"

const INBOX_BYTES = 2_097_152

/** As WHATWG advises; proxies cut connections that are silent for 30 to 60 seconds. */
const PING_MS = 15_000

export interface SessionOptions {
  readonly runtime: LogReader
  readonly directory: Directory
  readonly app: string
  readonly query: LogQuery
  readonly observe: Observe
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
  /** Aborted when the service stops: the client is told, and may come back. */
  readonly shutdown: AbortSignal
  /** What may wait for a client before it counts as fallen behind. */
  readonly inboxBytes?: number
}

export class Session {
  readonly #options: SessionOptions
  readonly #inbox: Inbox
  readonly #passes: (line: Line) => boolean
  readonly #seats: Seats
  #cursor: MovingCursor
  /** While live: begins to follow a container that has come. */
  #join: (seat: Seat) => void = () => {}
  /** Removed containers that have been read to their end. */
  readonly #left = new Set<string>()

  constructor(options: SessionOptions) {
    const { directory, app, query, inboxBytes } = options
    const { cursor, since } = query
    this.#options = options
    this.#inbox = new Inbox(inboxBytes ?? INBOX_BYTES)
    this.#passes = lineFilter(query)
    this.#cursor = new MovingCursor(
      typeof cursor === "object" ? cursor : { opened: since ?? now(), positions: new Map() },
    )
    this.#seats = new Seats(directory, app, query, {
      onSeat: (seat) => this.#join(seat),
      onStatus: (status) => this.#inbox.notify(status),
    })
  }

  async *run(): AsyncGenerator<readonly StreamEvent[], void> {
    const { query, signal, shutdown } = this.#options
    using linked = new LinkedAbort(signal, shutdown)
    const over = linked.signal
    try {
      if (query.cursor === "malformed") {
        yield [{ type: "gap", reason: "malformed_cursor", cursor: this.#cursor.text }]
      }
      for (let fresh = this.#isFresh; !over.aborted; fresh = false) {
        yield* this.#replay(fresh, over)
        this.#prune()
        if (!over.aborted) yield [this.#ping()]
        yield* this.#live(over)
      }
      if (signal.aborted) return
      yield [{ type: "end", reason: "shutdown", retryable: true, cursor: this.#cursor.text }]
    } finally {
      this.#seats[Symbol.dispose]()
    }
  }

  /** Nothing says where to begin: the stream begins at its opening. */
  get #isFresh(): boolean {
    const { cursor, since } = this.#options.query
    return typeof cursor !== "object" && since === undefined
  }

  /** What the logs hold behind the cursor, in order of time. */
  async *#replay(
    fresh: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StreamEvent[], void> {
    const { observe, query } = this.#options
    const { tail } = query
    const options = { follow: false, signal }
    observe.replay()
    const merged = mergeByTime(
      [...this.#seats].map((seat) => this.#read(seat, this.#startOf(seat, fresh), options)),
    )
    if (!fresh || typeof tail !== "number" || tail === 0) {
      for await (const entries of merged) yield this.#toEvents(entries)
      return
    }
    const entries = await keepLast(merged, tail, this.#passes)
    const first = entries.find(({ line }) => line !== undefined)?.line
    // A client that is cut off inside of this reads the rest by time: its containers have no position yet.
    // A stamp may be a little later than this clock, whose steps are milliseconds: the opening stays.
    if (first && first.timestamp <= this.#cursor.opened) {
      const opened = shift(first.timestamp, -1n)
      this.#cursor = new MovingCursor({ opened, positions: new Map() })
    }
    yield this.#toEvents(entries)
  }

  /** What is written from now on, until the client has fallen behind. */
  async *#live(signal: AbortSignal): AsyncGenerator<readonly StreamEvent[], void> {
    const { runtime } = this.#options
    const stop = new LinkedAbort(signal)
    const following = new Set<Promise<void>>()
    this.#inbox.reopen()
    this.#join = (seat) => {
      const { member, bell } = seat
      const done = follow({
        runtime,
        member,
        bell,
        start: this.#startOf(seat, false),
        push: (entries) => this.#inbox.push(entries),
        onFailure: (failure) => this.#onFailure(seat, failure),
        gone: () => seat.gone,
        signal: stop.signal,
      }).then(() => {
        if (seat.gone) this.#left.add(member.container.id)
      })
      following.add(done)
    }
    for (const seat of this.#seats) this.#join(seat)
    try {
      yield* this.#drain(signal)
    } finally {
      this.#join = () => {}
      stop.abort()
      await Promise.all(following)
    }
  }

  async *#drain(signal: AbortSignal): AsyncGenerator<readonly StreamEvent[], void> {
    const inbox = this.#inbox
    let due = performance.now() + PING_MS
    while (!signal.aborted) {
      const seen = inbox.bell.count
      const events = this.#convert(inbox.take())
      if (events.length === 0 && inbox.full) return
      if (events.length === 0 && performance.now() >= due) events.push(this.#ping())
      if (events.length > 0) {
        yield events
        due = performance.now() + PING_MS
      } else await inbox.bell.past(seen, due - performance.now(), signal)
    }
  }

  /** A container's entries, from what its log holds. One that cannot be read hurts no other. */
  async *#read(
    { member }: Seat,
    start: Start,
    options: ReadOptions,
  ): AsyncGenerator<readonly Entry[], void> {
    try {
      yield* readEntries(this.#options.runtime, member, start, options)
    } catch {
      // It is read once more when the stream is live, and what is wrong is said there.
    }
  }

  #startOf({ member }: Seat, fresh: boolean): Start {
    const { id, createdAt } = member.container
    const { tail } = this.#options.query
    const position = this.#cursor.position(id)
    if (position !== undefined) return { from: "position", position }
    if (createdAt >= this.#cursor.opened) return { from: "beginning" }
    if (!fresh) return { from: "time", after: this.#cursor.opened }
    if (typeof tail === "number" && tail > 0)
      return { from: "last", lines: tail, where: this.#passes }
    return { from: "end" }
  }

  #onFailure({ member }: Seat, failure: Failure): void {
    const { observe } = this.#options
    if (failure.code === "log_driver_unreadable") {
      this.#inbox.notify({ type: "gap", member, reason: "unreadable" })
    } else if (failure.code === "runtime_unavailable") {
      // The directory says that it is down, and when it is up.
      observe.runtimeError("read")
    } else {
      observe.log("warn", "read failed", { container: member.container.name, reason: failure })
      this.#inbox.notify({ type: "problem", failure })
    }
  }

  #convert(items: readonly Item[]): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const item of items) {
      if ("type" in item) events.push({ ...item, cursor: this.#cursor.text })
      else this.#addEvents(item, events)
    }
    if (items.length === 0) for (const id of this.#left) this.#cursor.forget(id)
    return events
  }

  #toEvents(entries: readonly Entry[]): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const entry of entries) this.#addEvents(entry, events)
    return events
  }

  #addEvents({ member, line, gap, position }: Entry, events: StreamEvent[]): void {
    // A client that has seen the gap, and not the line behind it, comes back for both.
    if (gap) events.push({ type: "gap", member, ...gap, cursor: this.#cursor.text })
    this.#cursor.move(member.container.id, position)
    if (line && this.#passes(line)) {
      events.push({ type: "log", member, line, cursor: this.#cursor.text })
    }
  }

  /** Positions of containers that the app no longer has would make the cursor longer for ever. */
  #prune(): void {
    const { directory, app } = this.#options
    const members = directory.up ? directory.app(app)?.members : undefined
    if (members) this.#cursor.retain(members.map(({ container }) => container.id))
  }

  #ping(): StreamEvent {
    return { type: "ping", at: now(), lagMs: 0, cursor: this.#cursor.text }
  }
}

/** The last `count` lines that pass; of what came before, only how far it went. */
async function keepLast(
  merged: AsyncIterable<readonly Entry[]>,
  count: number,
  passes: (line: Line) => boolean,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const some of merged) for (const entry of some) entries.push(entry)
  let surplus = entries.filter(({ line }) => line && passes(line)).length - count
  return entries.map((entry) => {
    if (!entry.line || !passes(entry.line) || surplus-- <= 0) return entry
    return { member: entry.member, position: entry.position }
  })
}
