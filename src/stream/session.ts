/**
 * One client's live stream. It is a cursor in one of two states: **replaying**, where the logs are read for it,
 * merged by time, as fast as it takes them; or **live**, where it goes along the app's ring. A client that falls off the
 * ring replays again from its cursor: so it loses nothing, and costs nobody memory. There may be ten thousand of
 * them: one that is live holds no generator, no timer and no abort signal.
 */
import { LinkedAbort } from "../abort.ts"
import type { Observe } from "../observe.ts"
import { now } from "../time.ts"
import { CatchUp, type CatchUpOptions } from "./catch-up.ts"
import { type Cursor, formatCursor } from "./cursor.ts"
import { type EndEvent, endEvent, pingEvent, QUIET_MS, type StreamEvent } from "./events.ts"
import type { LogQuery } from "./query.ts"
import type { Delivery, LiveStream } from "./service.ts"

/** For so long a new client waits for the channel to look for the ends of logs. */
const SETTLE_MS = 1_000

/**
 * What is read of the logs for a client is let go of when the client has taken nothing for so long. One that is merely
 * slow takes some before: to find its place again costs an old engine a look at the whole log.
 */
const IDLE_MS = 60_000

export interface SessionOptions extends CatchUpOptions {
  readonly observe: Observe
  /** Aborted when the service stops: the client is told, and may come back. It rings the channel's bell, too. */
  readonly shutdown: AbortSignal
  /** Called when the client leaves, perhaps more than once. */
  readonly leave: () => void
}

export class Session implements LiveStream {
  readonly #options: SessionOptions
  /** What comes before it is live: what is wrong from the beginning, and what the logs hold. */
  #before: AsyncGenerator<Delivery, void> | undefined
  /** While it is live: how far it has come, as a cursor and in the ring, and when it has to say something. */
  #cursor = ""
  #next: number
  #pingDue = 0
  /** What has come before it stood there. */
  #early: StreamEvent[] = []
  /** Calls off what is read for this client alone. */
  #reading: LinkedAbort | undefined
  #wake: (() => void) | undefined
  #ended: EndEvent["reason"] | undefined
  #closed = false
  readonly settled: Promise<void>

  constructor(options: SessionOptions) {
    const { channel, query } = options
    const beginning = beginningOf(query)
    this.#options = options
    this.#next = channel.ring.end
    this.#before = this.#begin(beginning)
    this.settled = beginning ? Promise.resolve() : this.#settle()
  }

  async next(): Promise<IteratorResult<Delivery, void>> {
    const { bell } = this.#options.channel
    for (;;) {
      const step = await this.#before?.next()
      if (step && !step.done) return step
      this.#before = undefined
      const delivery = this.#take()
      if (delivery) return { done: false, value: delivery }
      if (this.#closed) return DONE
      // Fallen off the ring: what the logs hold comes first.
      if (this.#before) continue
      await new Promise<void>((resolve) => bell.once((this.#wake = resolve)))
      this.#wake = undefined
    }
  }

  /** The client leaves. */
  async return(): Promise<IteratorResult<Delivery, void>> {
    this.#closed = true
    this.#options.leave()
    this.#stopWaiting()
    await this.#before?.return()
    return DONE
  }

  end(reason: EndEvent["reason"]): void {
    this.#ended = reason
    this.#stopWaiting()
  }

  get #over(): boolean {
    return this.#closed || this.#ended !== undefined || this.#options.shutdown.aborted
  }

  #stopWaiting(): void {
    this.#reading?.abort()
    if (this.#wake) {
      this.#options.channel.bell.cancel(this.#wake)
      this.#wake()
    }
  }

  /** Until the channel knows, of every container, where "from now on" begins in its log. There the client stands. */
  async #settle(): Promise<void> {
    const { channel, query, shutdown, view } = this.#options
    const { bell, ring } = channel
    const begun = ring.end
    if (!channel.isSettled(channel.members(query))) {
      using abort = (this.#reading = new LinkedAbort(shutdown))
      const late = performance.now() + SETTLE_MS
      while (!this.#over && !channel.isSettled(channel.members(query))) {
        const left = late - performance.now()
        if (left <= 0) break
        await bell.past(bell.count, left, abort.signal)
      }
      this.#reading = undefined
    }
    for (let index = Math.max(begun, ring.first); index < ring.end; index++) {
      const event = view.eventOf(ring.at(index))
      if (event) this.#early.push(event)
    }
    this.#next = ring.end
    this.#cursor = channel.cursor
  }

  async *#begin(beginning: Cursor | undefined): AsyncGenerator<Delivery, void> {
    const { channel, query } = this.#options
    await this.settled
    if (this.#ended) return
    const opening = beginning ? formatCursor(beginning) : this.#cursor
    const wantsLast = beginning !== undefined && isTail(query)
    // With a place, it would come back behind the last lines, which have not come yet.
    const cursor = wantsLast ? "" : opening
    if (query.cursor === "malformed") yield [{ type: "gap", reason: "malformed_cursor", cursor }]
    const members = channel.members(query).filter((member) => channel.isUnreadable(member))
    if (members.length > 0) {
      yield members.map((member) => ({ type: "gap", member, reason: "unreadable", cursor }))
    }
    if (beginning) return yield* this.#catchUp(opening, wantsLast)
    const early = this.#early
    this.#early = []
    yield [...early, this.#ping()]
  }

  /**
   * What the logs hold, until the ring knows where the client stands. While the client takes nothing, nothing is held
   * open for it: neither files, nor a request to the engine.
   */
  async *#catchUp(cursor: string, wantsLast: boolean): AsyncGenerator<Delivery, void> {
    const { observe, shutdown } = this.#options
    observe.replay()
    const catchUp = new CatchUp(this.#options, cursor, this.#next, wantsLast)
    let hasRead = false
    do {
      // It takes again: that it is heard at once, before what it has missed is looked for.
      if (hasRead) yield [pingEvent(this.#cursor, catchUp.readUpTo)]
      using abort = (this.#reading = new LinkedAbort(shutdown))
      // It may have left, or have been ended, between its request and this.
      if (this.#over) abort.abort()
      const steps = catchUp.run(abort.signal)
      for await (const events of steps) {
        this.#pingDue = performance.now() + QUIET_MS
        this.#cursor = catchUp.cursor
        hasRead = true
        const patience = setTimeout(() => {
          abort.abort()
          void steps.return()
        }, IDLE_MS)
        try {
          yield events
        } finally {
          clearTimeout(patience)
        }
      }
    } while (!catchUp.isThere && !this.#over)
    this.#cursor = catchUp.cursor
    this.#next = catchUp.next
    this.#reading = undefined
  }

  /** What a live client is to get now, if there is anything. */
  #take(): Delivery | undefined {
    const { channel, shutdown, view } = this.#options
    const { ring } = channel
    if (this.#closed) return undefined
    const ended = this.#ended ?? (shutdown.aborted ? "shutdown" : undefined)
    if (ended) {
      this.#closed = true
      return [endEvent(ended, this.#cursor)]
    }
    while (this.#next < ring.end) {
      if (this.#next < ring.first) {
        this.#before = this.#catchUp(this.#cursor, false)
        return undefined
      }
      const chunk = channel.chunk(this.#next, view)
      this.#next = chunk.to
      this.#cursor = chunk.cursor
      if (chunk.bytes.length === 0) continue
      this.#pingDue = performance.now() + QUIET_MS
      return chunk
    }
    return performance.now() >= this.#pingDue ? [this.#ping()] : undefined
  }

  #ping(): StreamEvent {
    this.#pingDue = performance.now() + QUIET_MS
    return pingEvent(this.#cursor)
  }
}

const DONE: IteratorResult<Delivery, void> = { done: true, value: undefined }

/** Where a client begins to read the logs; `undefined`: it does not, as it wants only what is written from now on. */
function beginningOf(query: LogQuery): Cursor | undefined {
  const { cursor, since, tail } = query
  if (typeof cursor === "object") return cursor
  if (isTail(query) && !tail) return undefined
  return { opened: since ?? now(), positions: new Map() }
}

/** Whether nothing but `tail` says where it begins. */
function isTail({ cursor, since }: LogQuery): boolean {
  return typeof cursor !== "object" && since === undefined
}
