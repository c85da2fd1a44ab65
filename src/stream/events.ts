/** What a live stream is made of, before it is encoded. */
import type { Member } from "../apps/app.ts"
import type { ContainerState, GapReason, Line } from "../runtime.ts"
import { type Instant, now, secondsSince } from "../time.ts"
import type { Failure } from "../errors.ts"

export interface LogEvent {
  readonly type: "log"
  readonly member: Member
  readonly line: Line
}

export interface StatusEvent {
  readonly type: "status"
  /** Absent when it is the runtime itself that went `down` or came `up`. */
  readonly member?: Member
  readonly state: ContainerState | "started" | "oom" | "removed" | "down" | "up"
  readonly exitCode?: number
  readonly at: Instant
}

export interface GapEvent {
  readonly type: "gap"
  /** Absent when the gap is in the whole app, as after a malformed cursor. */
  readonly member?: Member
  readonly reason: GapReason | "malformed_cursor" | "unreadable"
  readonly from?: Instant
  readonly to?: Instant
}

export interface PingEvent {
  readonly type: "ping"
  readonly at: Instant
  /** How old the last line is that was read for the client while there are more, in milliseconds; 0 when it has all. */
  readonly lagMs: number
}

export interface ProblemEvent {
  readonly type: "problem"
  readonly failure: Failure
  /** What the service's own log has, too. */
  readonly requestId: string
}

export interface EndEvent {
  readonly type: "end"
  /** `revoked`: the key may not see the app any more. */
  readonly reason: "shutdown" | "app_removed" | "failed" | "revoked"
  readonly retryable: boolean
}

export type StreamEvent = (
  | LogEvent
  | StatusEvent
  | GapEvent
  | PingEvent
  | ProblemEvent
  | EndEvent
) & {
  /** The position of the client in the app behind this event: an SSE id. */
  readonly cursor: string
}

/** No silence is longer than this: as WHATWG advises; proxies cut connections that are silent for 30 to 60 seconds. */
export const PING_MS = 15_000

/** Even where nothing comes, it is looked after so long whether a client has to be told something. */
export const TICK_MS = 5_000

/** After so long a silence it is told something as soon as it is looked, so that none is longer than `PING_MS`. */
export const QUIET_MS = PING_MS - TICK_MS

/** `readUpTo`: the time of the last line that was read, where newer ones are known to be there. */
export function pingEvent(cursor: string, readUpTo?: Instant): PingEvent & StreamEvent {
  const lagMs = readUpTo === undefined ? 0 : Math.round(secondsSince(readUpTo) * 1_000)
  return { type: "ping", at: now(), lagMs, cursor }
}

export function endEvent(reason: EndEvent["reason"], cursor: string): EndEvent & StreamEvent {
  return { type: "end", reason, retryable: reason !== "revoked", cursor }
}
