/** The engine's events: a short memory, and subscribers that it pushes to. Some get lost, on demand. */

/** An event before the engine has stamped it. */
export interface EventSource {
  readonly Type: string
  readonly Action: string
  readonly Actor: {
    readonly ID: string
    readonly Attributes: Readonly<Record<string, string>>
  }
}

export interface EngineEvent extends EventSource {
  /** Nanoseconds since 1970. */
  readonly ns: bigint
}

export interface EventQuery {
  /** Nanoseconds, inclusive; absent: nothing from memory. */
  readonly since?: bigint
  readonly until?: bigint
  readonly types?: readonly string[]
  readonly actions?: readonly string[]
}

/** The engine remembers this many, of all types. */
const MEMORY = 256

export function engineEvent(
  action: string,
  id: string,
  attributes: Readonly<Record<string, string>>,
): EventSource {
  return { Type: "container", Action: action, Actor: { ID: id, Attributes: attributes } }
}

export class EventHub {
  #memory: EngineEvent[] = []
  #drop = 0
  #duplicate = 0
  readonly #subscribers = new Set<(event: EngineEvent) => void>()

  /** How many streams listen now. */
  get subscribers(): number {
    return this.#subscribers.size
  }

  emit(event: EventSource, ns: bigint): void {
    if (this.#drop > 0) {
      this.#drop -= 1
      return
    }
    const copies = this.#duplicate > 0 ? 2 : 1
    if (copies === 2) this.#duplicate -= 1
    for (let copy = 0; copy < copies; copy += 1) {
      const stamped = { ...event, ns }
      this.#memory = [...this.#memory, stamped].slice(-MEMORY)
      for (const subscriber of this.#subscribers) subscriber(stamped)
    }
  }

  /** Loses the next `count` events: neither remembered nor sent. */
  drop(count: number): void {
    this.#drop += count
  }

  /** Sends the next `count` events twice. */
  duplicate(count: number): void {
    this.#duplicate += count
  }

  /** As after a restart of the engine. */
  forget(): void {
    this.#memory = []
  }

  /** What is remembered of the query, then what comes, until the signal. */
  async *follow(query: EventQuery, signal: AbortSignal): AsyncGenerator<EngineEvent[]> {
    let queue = query.since === undefined ? [] : this.#memory.slice()
    let news = Promise.withResolvers<void>()
    const stop = () => news.resolve()
    const subscriber = (event: EngineEvent) => {
      queue.push(event)
      news.resolve()
    }
    this.#subscribers.add(subscriber)
    signal.addEventListener("abort", stop, { once: true })
    try {
      while (!signal.aborted) {
        const taken = queue.filter((event) => matches(event, query))
        queue = []
        yield taken
        if (queue.length === 0) await news.promise
        news = Promise.withResolvers<void>()
      }
    } finally {
      this.#subscribers.delete(subscriber)
      signal.removeEventListener("abort", stop)
    }
  }
}

function matches(event: EngineEvent, query: EventQuery): boolean {
  if (query.since !== undefined && event.ns < query.since) return false
  if (query.until !== undefined && event.ns > query.until) return false
  if (query.types && !query.types.includes(event.Type)) return false
  return !query.actions || query.actions.includes(event.Action)
}

/** As the engine writes it; from API 1.52 on without the fields of old. */
export function eventJson(event: EngineEvent, apiMinor: number): string {
  const { Type, Action, Actor } = event
  const old = { status: Action, id: Actor.ID, from: Actor.Attributes["image"] }
  const now = { Type, Action, Actor, scope: "local", time: Number(event.ns / 1_000_000_000n) }
  const fields = apiMinor < 52 ? { ...old, ...now } : now
  // A double cannot hold the nanoseconds, so they are put in as text.
  return `${JSON.stringify(fields).slice(0, -1)},"timeNano":${event.ns}}`
}
