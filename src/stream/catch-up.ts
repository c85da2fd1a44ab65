/** Reads the logs for one client, from its cursor on, until the ring knows where the client stands. */
import type { Channel } from "./channel.ts"
import type { View } from "./chunk.ts"
import type { LogReader } from "./counted.ts"
import { MovingCursor, readCursor } from "./cursor.ts"
import { PING_MS, pingEvent, QUIET_MS, type StreamEvent, TICK_MS } from "./events.ts"
import { findFooting, type Footing } from "./footing.ts"
import type { Instant } from "../time.ts"
import type { LogQuery } from "./query.ts"
import { Replay } from "./replay.ts"
import type { Delivery } from "./service.ts"
import { ticking } from "./ticking.ts"

/** Pauses between reads of the logs. The ring may be a little behind the client, too. */
const PAUSE_MS = { first: 5, most: 1_000 }

export interface CatchUpOptions {
  readonly runtime: LogReader
  readonly channel: Channel
  readonly query: LogQuery
  readonly view: View
}

export class CatchUp {
  readonly #options: CatchUpOptions
  /** Behind what has been handed over. */
  #cursor: string
  /** Whether the last lines, with which it begins, are still to come. */
  #wantsLast: boolean
  /** From this index on, steps of containers that no log shows any more are new to the client; and notices. */
  readonly #since: number
  #noticed: number
  #next: number
  #isThere = false
  #readUpTo: Instant | undefined

  constructor(options: CatchUpOptions, cursor: string, since: number, wantsLast: boolean) {
    this.#options = options
    this.#cursor = cursor
    this.#wantsLast = wantsLast
    this.#since = since
    this.#noticed = since
    this.#next = since
  }

  /** How far the client has come. None before its last lines have come: with it, it would come back behind them. */
  get cursor(): string {
    return this.#wantsLast ? "" : this.#cursor
  }

  /** Where it goes on in the ring, in the end. */
  get next(): number {
    return this.#next
  }

  /** The time of the last line that was read, whether it passed or not. */
  get readUpTo(): Instant | undefined {
    return this.#readUpTo
  }

  /** Whether the ring knows where the client stands: nothing more is to be read. */
  get isThere(): boolean {
    return this.#isThere
  }

  /** May be run again, when it was left. Ends when the client can go along the ring, or on abort. */
  async *run(signal: AbortSignal): AsyncGenerator<Delivery, void> {
    const { channel, query, runtime, view } = this.#options
    const { form } = view
    let pingDue = 0
    for (let round = 0; !signal.aborted; round++) {
      const members = channel.members(query)
      const cursor = readCursor(this.#cursor)
      const wantsLast = this.#wantsLast
      const replay = new Replay({
        runtime,
        members,
        hasMoved: (member) => channel.hasMoved(member),
        query,
        form,
        cursor,
        wantsLast,
        signal,
      })
      let quietSince = performance.now()
      for await (const some of ticking(replay.run(), TICK_MS)) {
        if (some) this.#move(replay)
        // A read may hang because the runtime does: what is to be said of that does not wait for it.
        const news = some ?? this.#takeNotices()
        const isNews = "bytes" in news || news.length > 0
        // A long read, or one of which a filter leaves everything out, may last longer than proxies let a connection be silent.
        if (!isNews && performance.now() < quietSince + QUIET_MS) continue
        quietSince = performance.now()
        yield isNews ? news : [pingEvent(this.cursor, this.#readUpTo)]
      }
      if (signal.aborted) return
      if (performance.now() >= pingDue) {
        pingDue = performance.now() + PING_MS
        yield [pingEvent(this.cursor)]
      }
      const notices = this.#takeNotices()
      if (notices.length > 0) yield notices
      const events = await this.#stepIn(PAUSE_MS.first * 2 ** round, signal)
      if (events) return yield events
    }
  }

  /** What the replay gives now is handed over. */
  #move({ cursor, readUpTo }: Replay): void {
    this.#cursor = cursor
    this.#readUpTo = readUpTo
    this.#wantsLast = false
  }

  /** Goes into the ring, if that knows the client's place within this time. It is all done in one go: a ring moves on. */
  async #stepIn(ms: number, signal: AbortSignal): Promise<StreamEvent[] | undefined> {
    const { channel, query } = this.#options
    const { ring } = channel
    const cursor = new MovingCursor(readCursor(this.#cursor))
    const late = performance.now() + Math.min(ms, PAUSE_MS.most)
    while (!signal.aborted) {
      const seen = channel.bell.count
      const members = channel.members(query).filter((member) => !channel.isUnreadable(member))
      const arrival = { ring, since: this.#since, members, cursor }
      const footing = channel.isComplete ? findFooting(arrival) : undefined
      if (footing) return this.#step(footing, cursor)
      const left = late - performance.now()
      if (left <= 0) return undefined
      await channel.bell.past(seen, left, signal)
    }
    return undefined
  }

  /** What has happened while the client read the logs. */
  #takeNotices(): StreamEvent[] {
    const { channel, view } = this.#options
    const items = channel.ring.notices(this.#noticed)
    this.#noticed = channel.ring.end
    return items.flatMap((item) => restamp(view.eventOf(item), this.cursor))
  }

  /** What the ring holds, without what the client has seen. */
  #step(footing: Footing, cursor: MovingCursor): StreamEvent[] {
    const { channel, view } = this.#options
    const { ring } = channel
    const unsure = new Set(footing.unsure)
    const events = this.#takeNotices()
    for (let index = footing.from; index < ring.end; index++) {
      const item = ring.at(index)
      const { kind, member, position } = item
      if (kind === "notice" || !member || !footing.isNew(index, member)) continue
      const event = view.eventOf(item)
      const { id } = member.container
      if (event && unsure.delete(id)) {
        events.push({ type: "gap", member, reason: "rotated", cursor: cursor.text })
      }
      if (position !== undefined) cursor.move(id, position)
      events.push(...restamp(event, cursor.text))
    }
    this.#isThere = true
    this.#next = ring.end
    this.#cursor = cursor.text
    return events
  }
}

/** An event of the ring, where the client's own cursor is not the ring's yet. */
function restamp(event: StreamEvent | undefined, cursor: string): StreamEvent[] {
  return event ? [{ ...event, cursor }] : []
}
