/**
 * One client's live stream. It is a cursor in one of two states: **replaying**, where the logs are read for it,
 * merged by time, as fast as it takes them; or **live**, where it goes along the app's ring. A client that falls off the
 * ring replays again from its cursor: so it loses nothing, and costs nobody memory.
 */
import { LinkedAbort } from "../abort.ts"
import type { Observe } from "../observe.ts"
import { now } from "../time.ts"
import type { Channel } from "./channel.ts"
import { type Chunk, type Form, View } from "./chunk.ts"
import type { LogReader } from "./counted.ts"
import { type Cursor, MovingCursor, readCursor } from "./cursor.ts"
import type { StreamEvent } from "./events.ts"
import { findFooting, type Footing } from "./footing.ts"
import type { LogQuery } from "./query.ts"
import { Replay } from "./replay.ts"

/** As WHATWG advises; proxies cut connections that are silent for 30 to 60 seconds. */
const PING_MS = 15_000

/** For so long a new client waits for the channel to look for the ends of logs. */
const SETTLE_MS = 1_000

/** Pauses between reads of the logs while the ring does not know where the client stands. */
const PAUSE_MS = { first: 5, most: 1_000 }

export interface SessionOptions {
  readonly runtime: LogReader
  readonly channel: Channel
  readonly observe: Observe
  readonly query: LogQuery
  readonly form: Form
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
  /** Aborted when the service stops: the client is told, and may come back. */
  readonly shutdown: AbortSignal
}

/** Events of its own, or what the channel has encoded for all who see the same. */
export type Delivery = readonly StreamEvent[] | Chunk

export class Session {
  readonly #options: SessionOptions
  readonly #view: View
  /** How far it has come; while it is live, of how far it had come before. */
  #cursor: MovingCursor
  /** Where it goes on in the ring. */
  #next: number
  /** From this index on, notices are new to it. */
  #noticed: number
  #pingDue = 0
  /** Resolves when nothing of what is written from then on can be missed, or soon. */
  readonly settled: Promise<void>

  constructor(options: SessionOptions) {
    const { channel, form, query, signal } = options
    this.#options = options
    this.#view = new View(query, form)
    this.#next = channel.ring.end
    this.#noticed = this.#next
    const beginning = beginningOf(query)
    this.#cursor = new MovingCursor(beginning ?? readCursor(channel.cursor))
    this.settled = beginning ? Promise.resolve() : this.#settle(signal)
  }

  async *run(): AsyncGenerator<Delivery, void> {
    const { query, signal, shutdown } = this.#options
    using linked = new LinkedAbort(signal, shutdown)
    const over = linked.signal
    await this.settled
    yield* this.#greet()
    if (beginningOf(query)) yield* this.#catchUp(true, over)
    else yield this.#begin()
    while (!over.aborted) {
      yield* this.#goAlong(over)
      if (!over.aborted) yield* this.#catchUp(false, over)
    }
    if (signal.aborted) return
    yield [{ type: "end", reason: "shutdown", retryable: true, cursor: this.#cursor.text }]
  }

  /** Until the channel knows, of every container, where "from now on" begins in its log. */
  async #settle(signal: AbortSignal): Promise<void> {
    const { channel, query } = this.#options
    const late = performance.now() + SETTLE_MS
    while (!signal.aborted && !channel.isSettled(channel.members(query))) {
      const left = late - performance.now()
      if (left <= 0) return
      await channel.bell.past(channel.bell.count, left, signal)
    }
  }

  /** What is wrong from the beginning. */
  *#greet(): Generator<Delivery, void> {
    const { channel, query } = this.#options
    const cursor = this.#cursor.text
    if (query.cursor === "malformed") yield [{ type: "gap", reason: "malformed_cursor", cursor }]
    const members = channel.members(query).filter((member) => channel.isUnreadable(member))
    if (members.length === 0) return
    yield members.map((member) => ({ type: "gap", member, reason: "unreadable", cursor }))
  }

  /** Only what is written from now on is wanted: the channel has it. */
  #begin(): StreamEvent[] {
    const { channel } = this.#options
    const { ring } = channel
    const events: StreamEvent[] = []
    for (let index = Math.max(this.#next, ring.first); index < ring.end; index++) {
      const event = this.#view.eventOf(ring.at(index))
      if (event) events.push(event)
    }
    this.#next = ring.end
    this.#cursor = new MovingCursor(readCursor(channel.cursor))
    return [...events, ...this.#ping()]
  }

  /** What the logs hold behind the cursor; and what they hold more, until the ring knows where the client stands. */
  async *#catchUp(first: boolean, signal: AbortSignal): AsyncGenerator<Delivery, void> {
    const { channel, observe, query, runtime } = this.#options
    observe.replay()
    for (let round = 0; !signal.aborted; round++) {
      const members = channel.members(query)
      const replay = new Replay({ runtime, members, query, cursor: this.#cursor, signal })
      yield* replay.run(first && round === 0)
      this.#cursor = replay.cursor
      if (signal.aborted) return
      if (round === 0 || performance.now() >= this.#pingDue) yield this.#ping()
      const notices = this.#catchNotices()
      if (notices.length > 0) yield notices
      const footing = await this.#findFooting(PAUSE_MS.first * 2 ** round, signal)
      if (footing) return yield this.#step(footing)
    }
  }

  /** The ring may be a little behind the client. */
  async #findFooting(ms: number, signal: AbortSignal): Promise<Footing | undefined> {
    const { channel, query } = this.#options
    const late = performance.now() + Math.min(ms, PAUSE_MS.most)
    const isComplete = await channel.isComplete(signal)
    while (!signal.aborted) {
      const seen = channel.bell.count
      const members = channel.members(query).filter((member) => !channel.isUnreadable(member))
      const arrival = { ring: channel.ring, since: this.#next, members, cursor: this.#cursor }
      const footing = isComplete ? findFooting(arrival) : undefined
      const left = late - performance.now()
      if (footing || left <= 0) return footing
      await channel.bell.past(seen, left, signal)
    }
    return undefined
  }

  /** What has happened while the client read the logs. */
  #catchNotices(): StreamEvent[] {
    const { ring } = this.#options.channel
    const items = ring.notices(this.#noticed)
    this.#noticed = ring.end
    return items.flatMap((item) => this.#restamp(this.#view.eventOf(item)))
  }

  /** Goes into the ring, past what the client has seen. */
  #step(footing: Footing): StreamEvent[] {
    const { ring } = this.#options.channel
    const unsure = new Set(footing.unsure)
    const events = this.#catchNotices()
    const end = unsure.size > 0 ? ring.end : footing.level
    for (let index = footing.from; index < end; index++) {
      const item = ring.at(index)
      const { kind, member, position } = item
      if (kind === "notice" || !member || !footing.isNew(index, member)) continue
      const event = this.#view.eventOf(item)
      const { id } = member.container
      if (event && unsure.delete(id)) {
        events.push({ type: "gap", member, reason: "rotated", cursor: this.#cursor.text })
      }
      if (position !== undefined) this.#cursor.move(id, position)
      events.push(...this.#restamp(event))
    }
    this.#next = end
    return events
  }

  /** An event of the ring, where the client's own cursor is not the ring's yet. */
  #restamp(event: StreamEvent | undefined): StreamEvent[] {
    return event ? [{ ...event, cursor: this.#cursor.text }] : []
  }

  /** What comes, until the client has fallen off the ring. */
  async *#goAlong(signal: AbortSignal): AsyncGenerator<Delivery, void> {
    const { channel } = this.#options
    const { bell, ring } = channel
    let cursor = this.#cursor.text
    while (!signal.aborted && this.#next >= ring.first) {
      const seen = bell.count
      if (this.#next < ring.end) {
        const chunk = channel.chunk(this.#next, this.#view)
        this.#next = chunk.to
        cursor = chunk.cursor
        if (chunk.bytes.length === 0) continue
        this.#pingDue = performance.now() + PING_MS
        yield chunk
      } else if (performance.now() >= this.#pingDue) yield this.#ping(cursor)
      else await bell.past(seen, Number.POSITIVE_INFINITY, signal)
    }
    this.#noticed = this.#next
    this.#cursor = new MovingCursor(readCursor(cursor))
  }

  #ping(cursor: string = this.#cursor.text): StreamEvent[] {
    this.#pingDue = performance.now() + PING_MS
    return [{ type: "ping", at: now(), lagMs: 0, cursor }]
  }
}

/** Where a client begins to read the logs; `undefined`: it does not, as it wants only what is written from now on. */
function beginningOf({ cursor, since, tail }: LogQuery): Cursor | undefined {
  if (typeof cursor === "object") return cursor
  if (since === undefined && !tail) return undefined
  return { opened: since ?? now(), positions: new Map() }
}
