/** What the HTTP face is handed: an app's logs, as a snapshot and as a live stream. */
import type { App, Member } from "../apps/app.ts"
import type { Line } from "../runtime.ts"
import type { Encoded, Form } from "./chunk.ts"
import type { EndEvent, StreamEvent } from "./events.ts"
import type { LogQuery } from "./query.ts"
import type { Some } from "./some.ts"

export interface MemberLine {
  readonly member: Member
  readonly line: Line
}

export interface Snapshot {
  /** Merged by time, filtered; at most `tail` lines in all. Batches, so that `all` stays bounded. */
  readonly lines: AsyncIterable<Some<MemberLine>>
  /** The cursor behind the last line: a stream that starts there repeats and loses nothing. */
  readonly cursor: string
  /** Whether `tail` left lines out. */
  readonly truncated: boolean
  /** The members the lines may come from, for the width of the service column. */
  readonly members: readonly Member[]
}

export interface LogService {
  /** Throws `runtime_unavailable`, or `log_driver_unreadable` when no selected container can be read. */
  snapshot(app: App, query: LogQuery, signal: AbortSignal): Promise<Snapshot>
  /**
   * Everything the client is to see, from the query's start on. Whoever reads slowly is served from the logs again,
   * and costs no memory.
   */
  stream(app: App, query: LogQuery, form: Form): LiveStream
}

/** Events of its own, or what has been encoded already, perhaps for all clients that see the same. */
export type Delivery = readonly StreamEvent[] | Encoded

/** Has to be returned in the end: that is when the client counts as gone. */
export interface LiveStream {
  /** Resolves when nothing of what is written from then on can be missed, or soon: then the client may be told so. */
  readonly settled: Promise<void>
  next(): Promise<IteratorResult<Delivery, void>>
  /** Nothing more is read or handed over but the event that says why. */
  end(reason: EndEvent["reason"]): void
  return(): Promise<IteratorResult<Delivery, void>>
}
