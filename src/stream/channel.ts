/**
 * An app's one channel, while it has clients: each container that anybody wants is followed once, and what comes
 * goes into a ring, with the app's cursor behind it. Its clients read the ring, each at its own pace.
 */
import type { Member } from "../apps/app.ts"
import type { Directory } from "../apps/directory.ts"
import { Bell } from "../bell.ts"
import type { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import type { Start } from "../runtime.ts"
import { now } from "../time.ts"
import { type Chunk, Chunks, type Form, type View } from "./chunk.ts"
import type { LogReader } from "./counted.ts"
import { MovingCursor } from "./cursor.ts"
import { Demand } from "./demand.ts"
import type { Entry } from "./entry.ts"
import { type GapEvent, type ProblemEvent, type StatusEvent, TICK_MS } from "./events.ts"
import { isSelected } from "./filter.ts"
import { follow } from "./follow.ts"
import { LineStep } from "./item.ts"
import type { LogQuery } from "./query.ts"
import { Ring } from "./ring.ts"
import { type Seat, Seats } from "./seats.ts"
import { startOf } from "./start.ts"

export interface ChannelOptions {
  readonly runtime: LogReader
  readonly directory: Directory
  readonly app: string
  readonly observe: Observe
  /** What the ring may hold. */
  readonly ringBytes: number
}

type Notice = StatusEvent | ProblemEvent | GapEvent

/** One container's reader. */
interface Following {
  readonly stop: AbortController
  /** Whether it still looks for the end of the log: it has no place yet, and will not begin where anybody else does. */
  seeksEnd: boolean
  hasEnded: boolean
  /** Counts it no more. */
  readonly left: () => void
}

export class Channel implements Disposable {
  readonly ring: Ring
  /** Rings when something has come, and now and then. */
  readonly bell = new Bell()
  readonly #options: ChannelOptions
  readonly #seats: Seats
  readonly #cursor = new MovingCursor({ opened: now(), positions: new Map() })
  readonly #chunks: Chunks
  readonly #demand = new Demand()
  readonly #following = new Map<string, Following>()
  /** Containers whose logs nothing can read. */
  readonly #unreadable = new Set<string>()
  /** What has become of the question which containers there are. */
  #known: "asked" | "all" | undefined
  readonly #closing = new AbortController()
  readonly #ticking: ReturnType<typeof setInterval>
  readonly #unobserve: () => void

  constructor(options: ChannelOptions) {
    const { directory, app, observe, ringBytes } = options
    this.#options = options
    this.ring = new Ring(ringBytes)
    this.#chunks = new Chunks(this.ring)
    this.#seats = new Seats(directory, app, {
      onSeat: (seat) => this.#want(seat, this.#startOf(seat.member)),
      onMove: (seat, since) => {
        const { member, gone } = seat
        if (gone || !this.#demand.has(member)) this.#stop(member)
        else this.#want(seat, { from: "time", after: since })
        if (gone) this.#cursor.forget(member.container.id)
      },
      onLeave: (member) => this.#leave(member),
      onStatus: (status) => this.#notify(status, status.member),
    })
    this.#unobserve = observe.ring(() => this.ring.bytes)
    this.#ticking = setInterval(() => this.bell.ring(), TICK_MS)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking)
    this.#closing.abort()
    this.#unobserve()
    this.#seats[Symbol.dispose]()
    for (const { stop, left } of this.#following.values()) {
      stop.abort()
      left()
    }
  }

  /** The app's cursor behind the newest item. */
  get cursor(): string {
    return this.#cursor.text
  }

  /** A client comes. */
  join(query: LogQuery): void {
    this.#demand.add(query)
    for (const seat of this.#seats) this.#want(seat, { from: "end" })
  }

  /** A client that came with this query has left. */
  leave(query: LogQuery): void {
    this.#demand.remove(query)
    for (const { member } of this.#seats) {
      if (!this.#demand.has(member)) this.#stop(member)
    }
  }

  /** The containers that a query selects, now. */
  members(query: LogQuery): Member[] {
    return [...this.#seats]
      .map(({ member }) => member)
      .filter((member) => isSelected(query, member))
  }

  /** Whether nothing can read the container's log. */
  isUnreadable({ container }: Member): boolean {
    return this.#unreadable.has(container.id)
  }

  /** Whether what the container says now is another app's. */
  hasMoved({ container }: Member): boolean {
    return this.#seats.hasMoved(container.id)
  }

  /** Whether everything that the containers write from now on comes, or what hinders it has been said. */
  isSettled(members: readonly Member[]): boolean {
    return members.every(({ container }) => !this.#following.get(container.id)?.seeksEnd)
  }

  /**
   * Whether all containers are known that are older than the channel: asks for them, and rings when it is so. One that
   * comes later is followed from its first line; of an older one, a client may have to see what the channel has not.
   */
  get isComplete(): boolean {
    if (this.#known === undefined) {
      this.#known = "asked"
      this.#options.directory.refresh(this.#closing.signal).then(
        () => {
          this.#known = "all"
          this.bell.ring()
        },
        // The runtime is down. It is asked again by the next who wants to know.
        () => (this.#known = undefined),
      )
    }
    return this.#known === "all"
  }

  /** The same one for all who see the same. */
  view(query: LogQuery, form: Form): View {
    return this.#chunks.view(query, form)
  }

  /** What a client sees of the ring, from an index on. */
  chunk(from: number, view: View): Chunk {
    return this.#chunks.from(from, view)
  }

  /** Follows a container, if anybody wants to see it and nobody does yet. */
  #want(seat: Seat, start: Start): void {
    const { member } = seat
    const { id } = member.container
    if (this.#following.has(id) || !this.#demand.has(member)) return
    const following: Following = {
      stop: new AbortController(),
      seeksEnd: start.from === "end",
      hasEnded: false,
      left: this.#options.observe.follower(),
    }
    this.#following.set(id, following)
    // Whoever stands before where nobody followed it does not go on behind that.
    if (start.from !== "position") this.ring.forget(id)
    if (start.from === "beginning") this.ring.begin(id)
    void follow({
      runtime: this.#options.runtime,
      seat,
      start,
      onStart: () => {
        following.seeksEnd = false
        this.bell.ring()
      },
      push: (entries) => {
        if (following.stop.signal.aborted) return
        for (const entry of entries) this.#push(seat.member, entry)
        this.bell.ring()
      },
      onFailure: (failure) => this.#onFailure(seat.member, failure),
      signal: following.stop.signal,
    }).then(() => {
      following.hasEnded = true
      if (seat.gone) this.#leave(member)
    })
  }

  /** A container is gone: once it has been read to its end, nothing is left of it but what is in the ring. */
  #leave(member: Member): void {
    const { id } = member.container
    if (this.#following.get(id)?.hasEnded === false) return
    const position = this.#cursor.position(id)
    this.#stop(member)
    this.#cursor.forget(id)
    const seat = this.#seats.of(id)
    if (!seat) return
    // It has come into sight again since.
    this.#want(
      seat,
      position === undefined ? this.#startOf(member) : { from: "position", position },
    )
  }

  /** Nobody wants it. A client that has seen it may still have to be told from where on the rest is new. */
  #stop(member: Member): void {
    this.#unfollow(member)
    this.ring.close(member.container.id)
  }

  #unfollow({ container: { id } }: Member): void {
    const following = this.#following.get(id)
    following?.stop.abort()
    following?.left()
    this.#following.delete(id)
    this.#unreadable.delete(id)
  }

  /** Where a container begins that has come into sight. */
  #startOf({ container }: Member): Start {
    return startOf(container, this.#cursor.opened)
  }

  #push(member: Member, { line, gap, position }: Entry): void {
    const { ring } = this
    const { id } = member.container
    const isKnown = this.#cursor.position(id) === position && ring.find(id, position) !== undefined
    if (!line && !gap && isKnown) return
    const before = this.#cursor.text
    // A client that has seen the gap, and not the line behind it, comes back for both.
    if (gap)
      ring.push({
        kind: "step",
        member,
        event: { type: "gap", member, ...gap, cursor: before },
        cursor: before,
      })
    this.#cursor.move(id, position)
    const cursor = this.#cursor.text
    ring.push(
      line ? new LineStep(member, line, cursor) : { kind: "step", member, position, cursor },
    )
  }

  #notify(notice: Notice, member: Member | undefined): void {
    const cursor = this.#cursor.text
    this.ring.push({
      kind: "notice",
      ...(member && { member }),
      event: { ...notice, cursor },
      cursor,
    })
    this.bell.ring()
  }

  #onFailure(member: Member, failure: Failure): void {
    const { observe } = this.#options
    if (failure.code === "log_driver_unreadable") {
      this.#unreadable.add(member.container.id)
      this.#notify({ type: "gap", member, reason: "unreadable" }, member)
    } else if (failure.code === "runtime_unavailable") {
      // The directory says that it is down, and when it is up.
      observe.runtimeError("read")
    } else {
      const requestId = crypto.randomUUID()
      observe.log("warn", "read failed", {
        container: member.container.name,
        reason: failure,
        requestId,
      })
      this.#notify({ type: "problem", failure, requestId }, member)
    }
  }
}
