/** Follows one container for as long as it is wanted: over its restarts, and the runtime's. */
import { Failure } from "../errors.ts"
import type { Start } from "../runtime.ts"
import { now } from "../time.ts"
import type { LogReader } from "./counted.ts"
import { type Entry, readEntries } from "./entry.ts"
import type { Seat } from "./seats.ts"
import { entriesOf } from "./some.ts"
import { startOf } from "./start.ts"

/** A stopped container is looked at again after so long, as the hint that it was started may be lost. */
const IDLE_MS = 30_000

const BACKOFF_MS = { first: 100, most: 5_000 }

export interface FollowOptions {
  readonly runtime: LogReader
  /** Of the container. Once it is gone, what is left of its log is read, and no more. */
  readonly seat: Seat
  readonly start: Start
  /** The first read has found where to begin, or has not. */
  readonly onStart: () => void
  readonly push: (entries: readonly Entry[]) => void
  /** Told of what is wrong, once for each time that it begins. */
  readonly onFailure: (failure: Failure) => void
  readonly signal: AbortSignal
}

/** Ends when the container is gone, its log cannot be read, or on abort. */
export async function follow(options: FollowOptions): Promise<void> {
  const { runtime, seat, onStart, push, onFailure, signal } = options
  let start = options.start
  const wanted = now()
  let hasStarted = false
  let backoff = BACKOFF_MS.first
  while (!signal.aborted) {
    // Taken before the read: what happens while it ends must not be slept through.
    const seen = seat.bell.count
    let last = seat.gone
    // The end was not found: what has been written since it was looked for is new.
    if (hasStarted && start.from === "end") start = startOf(seat.member.container, wanted)
    const began = performance.now()
    let wait = IDLE_MS
    try {
      for await (const some of readEntries(runtime, seat.member, start, { follow: true, signal })) {
        const entries = entriesOf(some)
        if (!hasStarted) onStart()
        hasStarted = true
        push(entries)
        const newest = entries.at(-1)
        if (newest) start = { from: "position", position: newest.position }
        // A first batch without a line may come each time before the same failure.
        if (entries.some(({ line }) => line)) backoff = BACKOFF_MS.first
      }
    } catch (error) {
      const failure = Failure.from(error)
      if (performance.now() - began >= BACKOFF_MS.most) backoff = BACKOFF_MS.first
      if (backoff === BACKOFF_MS.first) onFailure(failure)
      last ||= failure.code === "log_driver_unreadable"
      wait = backoff
      backoff = Math.min(backoff * 2, BACKOFF_MS.most)
    }
    if (!hasStarted) onStart()
    hasStarted = true
    if (last) return
    await seat.bell.past(seen, wait, signal)
  }
}
