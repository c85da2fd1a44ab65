/** Reads the logs for one client, from its cursor on, until the ring knows where the client stands. */
import type { Channel } from "./channel.ts"
import type { View } from "./chunk.ts"
import type { LogReader } from "./counted.ts"
import type { MovingCursor } from "./cursor.ts"
import { PING_MS, pingEvent, type StreamEvent } from "./events.ts"
import { findFooting, type Footing } from "./footing.ts"
import type { Instant } from "../time.ts"
import type { LogQuery } from "./query.ts"
import { Replay } from "./replay.ts"
import type { Delivery } from "./service.ts"

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
  #cursor: MovingCursor
  /** From this index on, steps of containers that no log shows any more are new to the client; and notices. */
  readonly #since: number
  #noticed: number
  #next: number
  #isThere = false
  #readUpTo: Instant | undefined

  constructor(options: CatchUpOptions, cursor: MovingCursor, since: number) {
    this.#options = options
    this.#cursor = cursor
    this.#since = since
    this.#noticed = since
    this.#next = since
  }

  /** How far the client has come. */
  get cursor(): string {
    return this.#cursor.text
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

  /** `isFirst`: the client has read nothing yet. May be run again, when it was left. Ends when the client can go along the ring, or on abort. */
  async *run(isFirst: boolean, signal: AbortSignal): AsyncGenerator<Delivery, void> {
    const { channel, query, runtime, view } = this.#options
    const { form } = view
    let pingDue = 0
    for (let round = 0; !signal.aborted; round++) {
      const members = channel.members(query)
      const replay = new Replay({ runtime, members, query, form, cursor: this.#cursor, signal })
      let quietSince = performance.now()
      for await (const some of replay.run(isFirst && round === 0)) {
        this.#cursor = replay.cursor
        this.#readUpTo = replay.readUpTo
        const isQuiet = !("bytes" in some) && some.length === 0
        // What a filter leaves out of a large log may take longer than proxies let a connection be silent.
        const isDue = isQuiet && performance.now() >= quietSince + PING_MS
        if (isQuiet && !isDue) continue
        quietSince = performance.now()
        yield isDue ? [pingEvent(this.#cursor.text, this.#readUpTo)] : some
      }
      this.#cursor = replay.cursor
      if (signal.aborted) return
      if (performance.now() >= pingDue) {
        pingDue = performance.now() + PING_MS
        yield [pingEvent(this.#cursor.text)]
      }
      const notices = this.#takeNotices()
      if (notices.length > 0) yield notices
      const events = await this.#stepIn(PAUSE_MS.first * 2 ** round, signal)
      if (events) return yield events
    }
  }

  /** Goes into the ring, if that knows the client's place within this time. It is all done in one go: a ring moves on. */
  async #stepIn(ms: number, signal: AbortSignal): Promise<StreamEvent[] | undefined> {
    const { channel, query } = this.#options
    const late = performance.now() + Math.min(ms, PAUSE_MS.most)
    while (!signal.aborted) {
      const seen = channel.bell.count
      const members = channel.members(query).filter((member) => !channel.isUnreadable(member))
      const arrival = { ring: channel.ring, since: this.#since, members, cursor: this.#cursor }
      const footing = channel.isComplete ? findFooting(arrival) : undefined
      if (footing) return this.#step(footing)
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
    return items.flatMap((item) => this.#restamp(view.eventOf(item)))
  }

  /** What the ring holds, without what the client has seen. */
  #step(footing: Footing): StreamEvent[] {
    const { channel, view } = this.#options
    const { ring } = channel
    const unsure = new Set(footing.unsure)
    const events = this.#takeNotices()
    this.#isThere = true
    this.#next = ring.end
    for (let index = footing.from; index < ring.end; index++) {
      const item = ring.at(index)
      const { kind, member, position } = item
      if (kind === "notice" || !member || !footing.isNew(index, member)) continue
      const event = view.eventOf(item)
      const { id } = member.container
      if (event && unsure.delete(id)) {
        events.push({ type: "gap", member, reason: "rotated", cursor: this.#cursor.text })
      }
      if (position !== undefined) this.#cursor.move(id, position)
      events.push(...this.#restamp(event))
    }
    return events
  }

  /** An event of the ring, where the client's own cursor is not the ring's yet. */
  #restamp(event: StreamEvent | undefined): StreamEvent[] {
    return event ? [{ ...event, cursor: this.#cursor.text }] : []
  }
}
