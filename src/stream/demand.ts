/** Which containers the clients of an app want to see. */
import type { Member } from "../apps/app.ts"
import { isSelected, selectionOf } from "./filter.ts"
import type { LogQuery } from "./query.ts"

export class Demand {
  /** By selection, as most clients want the same. */
  readonly #queries = new Map<string, { readonly query: LogQuery; clients: number }>()

  add(query: LogQuery): void {
    const key = selectionOf(query)
    const known = this.#queries.get(key) ?? { query, clients: 0 }
    known.clients++
    this.#queries.set(key, known)
  }

  remove(query: LogQuery): void {
    const key = selectionOf(query)
    const known = this.#queries.get(key)
    if (known && --known.clients === 0) this.#queries.delete(key)
  }

  /** Whether anybody wants to see the container. */
  has(member: Member): boolean {
    for (const { query } of this.#queries.values()) if (isSelected(query, member)) return true
    return false
  }
}
