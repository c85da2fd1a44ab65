/**
 * Where a client that has read the logs by itself goes on in the ring: behind the steps that it has seen. Places are
 * compared by their text: equal ones are the same place, whoever has read up to there.
 */
import type { Member } from "../apps/app.ts"
import type { MovingCursor } from "./cursor.ts"
import type { Ring } from "./ring.ts"

export interface Arrival {
  readonly ring: Ring
  /** The ring's end when the client began to read: what came later is new to it, unless the logs have shown it. */
  readonly since: number
  /** The containers that it wants to see, as they are now. */
  readonly members: readonly Member[]
  /** How far it has read. */
  readonly cursor: MovingCursor
}

/** By container. */
interface Known {
  /** The index of the last step that the client has seen. */
  readonly seen: ReadonlyMap<string, number>
  /** Of what comes next, nobody can tell what the client has missed of it, or seen already. */
  readonly unsure: ReadonlySet<string>
}

export class Footing {
  readonly #since: number
  readonly #seen: Known["seen"]
  readonly unsure: Known["unsure"]
  /** The index to go on from. */
  readonly from: number

  constructor(first: number, since: number, { seen, unsure }: Known) {
    // Where the newest step of a container has left the ring, there is nothing of it to go on with.
    const next = [...seen.values()].filter((index) => index >= first).map((index) => index + 1)
    this.#since = since
    this.#seen = seen
    this.unsure = unsure
    this.from = Math.max(first, Math.min(since, ...next))
  }

  /** Whether a step from there on is new to the client. */
  isNew(index: number, { container }: Member): boolean {
    const last = this.#seen.get(container.id)
    return last === undefined ? index >= this.#since : index > last
  }
}

/** `undefined`: the ring does not know where the client stands, or not yet: it has to read on. */
export function findFooting({ ring, since, members, cursor }: Arrival): Footing | undefined {
  const seen = new Map<string, number>()
  for (const { container } of members) {
    const position = cursor.position(container.id)
    const index = position === undefined ? undefined : ring.find(container.id, position)
    if (index === undefined) return undefined
    seen.set(container.id, index)
  }
  // Containers that are gone: no log shows any more what the client has not seen. All of one that has begun since is new.
  const unsure = new Set<string>()
  for (const id of ring.containers) {
    if (seen.has(id)) continue
    const position = cursor.position(id)
    const index = position === undefined ? undefined : ring.find(id, position)
    if (index !== undefined) seen.set(id, index)
    else if (position !== undefined || !ring.isWhole(id, since)) unsure.add(id)
  }
  return new Footing(ring.first, since, { seen, unsure })
}
