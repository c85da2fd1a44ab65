/** An app's containers, as they come and go. */
import type { Member } from "../apps/app.ts"
import type { Change, Directory } from "../apps/directory.ts"
import { type Instant, now } from "../time.ts"
import { Bell } from "../bell.ts"
import type { StatusEvent } from "./events.ts"

export interface Seat {
  /** As it was last told of. */
  member: Member
  /** Rings whenever the container or the runtime has changed. */
  readonly bell: Bell
  gone: boolean
}

export interface SeatListener {
  /** A container has come. */
  onSeat(seat: Seat): void
  /** A container is another service since then, or has come from another app, or has gone to one: others may want it. */
  onMove(seat: Seat, since: Instant): void
  /** A container is gone for good. */
  onLeave(member: Member): void
  onStatus(status: StatusEvent): void
}

export class Seats {
  readonly #app: string
  readonly #listener: SeatListener
  readonly #seats = new Map<string, Seat>()
  /** Containers that are another app's now. */
  readonly #moved = new Set<string>()
  readonly #unsubscribe: () => void

  /** Listens from now on; the containers there are already come without a status. */
  constructor(directory: Directory, app: string, listener: SeatListener) {
    this.#app = app
    this.#listener = listener
    this.#unsubscribe = directory.subscribe((change) => this.#take(change))
    for (const member of directory.app(app)?.members ?? []) listener.onSeat(this.#seat(member))
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }

  [Symbol.iterator](): IterableIterator<Seat> {
    return this.#seats.values()
  }

  of(id: string): Seat | undefined {
    return this.#seats.get(id)
  }

  /** Whether the container has become another app's, so that what it says is not this one's any more. */
  hasMoved(id: string): boolean {
    return this.#moved.has(id)
  }

  #take(change: Change): void {
    if (change.type === "runtime") {
      this.#listener.onStatus({ type: "status", state: change.up ? "up" : "down", at: now() })
      for (const { bell } of this.#seats.values()) bell.ring()
      return
    }
    const { member, gone, moved } = change
    if (member.app !== this.#app) return
    const { id } = member.container
    const known = this.#seats.get(id)
    const before = known?.member
    const seat = known ?? (gone ? undefined : this.#seat(member))
    if (seat) {
      seat.member = member
      seat.gone = gone
    }
    if (gone) this.#seats.delete(id)
    if (gone && moved) this.#moved.add(id)
    else this.#moved.delete(id)
    const isOther = before?.service !== member.service || before.needs !== member.needs
    if (seat && (moved || (before && isOther && !gone)))
      this.#listener.onMove(seat, change.renamedAt ?? now())
    else if (seat && !before) this.#listener.onSeat(seat)
    // A new name or label is no news to a reader of logs.
    const isHint = change.hint !== undefined && change.hint.change !== "renamed"
    if (isHint || gone || before?.container.state !== member.container.state)
      this.#listener.onStatus(toStatus(change))
    if (gone && !moved) this.#listener.onLeave(member)
    seat?.bell.ring()
  }

  #seat(member: Member): Seat {
    const seat = { member, bell: new Bell(), gone: false }
    this.#seats.set(member.container.id, seat)
    return seat
  }
}

function toStatus({ member, hint, gone }: Change & { type: "member" }): StatusEvent {
  const { state } = member.container
  return {
    type: "status",
    member,
    state: gone
      ? "removed"
      : hint?.change === "oom"
        ? "oom"
        : state === "running"
          ? "started"
          : state,
    ...(hint?.exitCode !== undefined && { exitCode: hint.exitCode }),
    at: hint?.at ?? now(),
  }
}
