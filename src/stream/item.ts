/** What a ring holds: a step in a container's log, or a notice. */
import type { Member } from "../apps/app.ts"
import type { Line } from "../runtime.ts"
import type { StreamEvent } from "./events.ts"

export interface Item {
  /** `step`: in a container's log. `notice`: about a container, or about the runtime as a whole. */
  readonly kind: "step" | "notice"
  readonly member?: Member
  /** Absent: a step on which there is nothing to tell. */
  readonly event?: StreamEvent
  /** Where the container's reader stands behind the step. A gap has none: the step that it belongs to follows. */
  readonly position?: string
  /** The app's cursor behind the item. */
  readonly cursor: string
}

/**
 * The step that a line is. A ring has some ten thousand: each keeps what a client is told of it, and nothing of what the
 * line was read from. Its event is made for whoever asks.
 */
export class LineStep implements Item {
  readonly kind = "step"
  readonly member: Member
  readonly cursor: string
  readonly line: Line

  constructor(member: Member, line: Line, cursor: string) {
    const { stream, timestamp, message, partial, position } = line
    this.member = member
    this.cursor = cursor
    this.line = partial
      ? { stream, timestamp, message, position, partial }
      : { stream, timestamp, message, position }
  }

  get position(): string {
    return this.line.position
  }

  get event(): StreamEvent {
    const { member, line, cursor } = this
    return { type: "log", member, line, cursor }
  }
}
