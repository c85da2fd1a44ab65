/** What live clients are sent: encoded once for all who see an app alike, as long as they are in step. */
import type { Member } from "../apps/app.ts"
import type { Block } from "../runtime.ts"
import type { Scratch } from "../scratch.ts"
import type { CursorAround } from "./cursor.ts"
import type { StreamEvent } from "./events.ts"
import { isSelected, lineFilter, selectionOf } from "./filter.ts"
import type { Item } from "./item.ts"
import type { LogQuery } from "./query.ts"
import type { Ring } from "./ring.ts"

/** How a client is told of events. Two clients that share one share what was encoded, too. */
export interface Form {
  readonly name: string
  readonly encode: (event: StreamEvent) => string
  /** The lines of a block, as `encode` would say them one by one. */
  readonly encodeBlock: (
    member: Member,
    block: Block,
    cursor: CursorAround,
    scratch: Scratch,
  ) => Uint8Array
}

/** A piece of a body as it goes out. */
export interface Encoded {
  /** Good until the next piece is asked for. */
  readonly bytes: Uint8Array
  readonly lines: number
}

export interface Chunk extends Encoded {
  /** The index of its first item, and the index and the cursor behind its last one. */
  readonly from: number
  readonly to: number
  readonly cursor: string
}

/** What of an app a client sees, and how. */
export class View {
  readonly form: Form
  readonly #query: LogQuery
  readonly #passes: ReturnType<typeof lineFilter>

  constructor(query: LogQuery, form: Form) {
    this.form = form
    this.#query = query
    this.#passes = lineFilter(query)
  }

  /** The item's event, if it is for this client. */
  eventOf({ member, event }: Item): StreamEvent | undefined {
    if (!event || (member && !isSelected(this.#query, member))) return undefined
    return event.type === "log" && !this.#passes(event.line) ? undefined : event
  }
}

/** Characters that make a chunk full. One long line may make it longer. */
export const CHUNK = 128 * 1024

/** Views, and of each its last chunk, that are kept for the next client that sees the same. */
const VIEWS = 32

const encoder = new TextEncoder()

export class Chunks {
  readonly #ring: Ring
  readonly #views = new Map<string, View>()
  readonly #newest = new Map<View, Chunk>()

  constructor(ring: Ring) {
    this.#ring = ring
  }

  view(query: LogQuery, form: Form): View {
    const key = keyOf(query, form)
    const view = this.#views.get(key) ?? new View(query, form)
    keep(this.#views, key, view)
    return view
  }

  /** What the ring holds from an index on, as much as goes into a chunk; without bytes if nothing of it is to be seen. */
  from(from: number, view: View): Chunk {
    const newest = this.#newest.get(view)
    // Most clients are in step.
    if (newest?.from === from) return newest
    const chunk = this.#encode(from, view)
    keep(this.#newest, view, chunk)
    return chunk
  }

  #encode(from: number, view: View): Chunk {
    const ring = this.#ring
    let text = ""
    let lines = 0
    let to = from
    let cursor = ""
    while (to < ring.end && text.length < CHUNK) {
      const item = ring.at(to++)
      const event = view.eventOf(item)
      cursor = item.cursor
      if (!event) continue
      text += view.form.encode(event)
      if (event.type === "log") lines++
    }
    return { bytes: encoder.encode(text), lines, from, to, cursor }
  }
}

/** Keeps what was used last. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= VIEWS) return
    map.delete(oldest)
  }
}

/** The same for all who see the same. */
function keyOf(query: LogQuery, form: Form): string {
  return JSON.stringify([form.name, selectionOf(query), query.stream, query.grep])
}
