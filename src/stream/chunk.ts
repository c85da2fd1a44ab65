/** What live clients are sent: encoded once for all who see an app alike, as long as they are in step. */
import type { StreamEvent } from "./events.ts"
import { isSelected, lineFilter, selectionOf } from "./filter.ts"
import type { LogQuery } from "./query.ts"
import type { Item, Ring } from "./ring.ts"

/** How a client is told of events. Two clients that share one share what was encoded, too. */
export interface Form {
  readonly name: string
  readonly encode: (event: StreamEvent) => string
}

export interface Chunk {
  readonly bytes: Uint8Array
  readonly lines: number
  /** The index behind its last item, and the cursor. */
  readonly to: number
  readonly cursor: string
}

/** What of an app a client sees, and how. */
export class View {
  readonly form: Form
  /** The same for all who see the same. */
  readonly key: string
  readonly #query: LogQuery
  readonly passes: ReturnType<typeof lineFilter>

  constructor(query: LogQuery, form: Form) {
    this.form = form
    this.key = JSON.stringify([form.name, selectionOf(query), query.stream, query.grep])
    this.#query = query
    this.passes = lineFilter(query)
  }

  /** The item's event, if it is for this client. */
  eventOf({ member, event }: Item): StreamEvent | undefined {
    if (!event || (member && !isSelected(this.#query, member))) return undefined
    return event.type === "log" && !this.passes(event.line) ? undefined : event
  }
}

/** Characters that make a chunk full. One long line may make it longer. */
const CHUNK = 128 * 1024

/** Views whose last chunk is kept for the next client that asks for the same. */
const VIEWS = 32

const encoder = new TextEncoder()

export class Chunks {
  readonly #ring: Ring
  readonly #kept = new Map<string, { readonly from: number; readonly chunk: Chunk }>()

  constructor(ring: Ring) {
    this.#ring = ring
  }

  /** What the ring holds from an index on, as much as goes into a chunk; without bytes if nothing of it is to be seen. */
  from(from: number, view: View): Chunk {
    const kept = this.#kept.get(view.key)
    if (kept?.from === from) return kept.chunk
    const chunk = this.#encode(from, view)
    this.#kept.delete(view.key)
    this.#kept.set(view.key, { from, chunk })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= VIEWS) break
      this.#kept.delete(oldest)
    }
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
    return { bytes: encoder.encode(text), lines, to, cursor }
  }
}
