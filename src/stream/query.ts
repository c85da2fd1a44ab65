/** What a client may ask of an app's logs, once its words have been understood. */
import type { StreamName } from "../runtime.ts"
import type { Instant } from "../time.ts"
import type { Cursor } from "./cursor.ts"

export interface LogQuery {
  readonly service?: string
  readonly stream?: StreamName
  /** A substring of the message. */
  readonly grep?: string
  /** Which needs services are in: all, none, or these kinds. */
  readonly includeNeeds: boolean | ReadonlySet<string>
  /** The last so many lines of the merged, filtered result. */
  readonly tail?: number | "all"
  /** Exclusive. */
  readonly since?: Instant
  /** Inclusive. */
  readonly until?: Instant
  /** Wins over `since`, which wins over `tail`. `malformed`: start afresh, and say `gap`. */
  readonly cursor?: Cursor | "malformed"
}
