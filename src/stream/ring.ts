/**
 * What has come in an app lately, in the one order that all its live clients see. Bounded in bytes: it is a cache,
 * and a client that needs what is older reads the logs.
 */
import { type Item, LineStep } from "./item.ts"
import { Places } from "./places.ts"

/** What an item costs beside its texts; and a text keeps alive the piece of the log that it was cut from. */
const ITEM_BYTES = 400
const COPIES = 2

/** Of notices that were dropped, so many are kept. */
const NOTICES = 1_000

/** Items that were dropped are cut off the array when there are so many of them. */
const DROPPED = 1_024

export class Ring {
  readonly #limitBytes: number
  #items: Item[] = []
  /** The index of the first element of the array. */
  #base = 0
  #first = 0
  #bytes = 0
  readonly #places = new Map<string, Places>()
  /** Notices that are no longer here: no log has them. */
  readonly #dropped: { readonly index: number; readonly item: Item }[] = []

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** The index of the oldest item that is still here. */
  get first(): number {
    return this.#first
  }

  /** The index that the next item will have. */
  get end(): number {
    return this.#base + this.#items.length
  }

  get bytes(): number {
    return this.#bytes
  }

  at(index: number): Item {
    const item = this.#items[index - this.#base]
    if (!item || index < this.#first) throw new RangeError(`no item ${index} in the ring`)
    return item
  }

  /** The notices from an index on, as far back as they are remembered. */
  notices(from: number): Item[] {
    const notices = this.#dropped.filter(({ index }) => index >= from).map(({ item }) => item)
    for (let index = Math.max(from, this.#first); index < this.end; index++) {
      const item = this.at(index)
      if (item.kind === "notice") notices.push(item)
    }
    return notices
  }

  push(item: Item): void {
    this.#place(item)
    this.#items.push(item)
    this.#bytes += sizeOf(item)
    while (this.#bytes > this.#limitBytes && this.#first < this.end - 1) this.#drop()
  }

  /**
   * The index of the step behind which a reader of the container stands at this place: what came later it has
   * not seen. `undefined`: it is not known here. The newest place of a container is, however old.
   */
  find(id: string, position: string): number | undefined {
    return this.#places.get(id)?.find(position)
  }

  /** Whether all that the container has said is here, from an index on. */
  isWhole(id: string, from: number): boolean {
    return this.#places.get(id)?.isWhole(Math.max(from, this.#first)) === true
  }

  /** Containers of which a place is known. */
  get containers(): IterableIterator<string> {
    return this.#places.keys()
  }

  /** What comes of the container from now on begins with its log's first line. */
  begin(id: string): void {
    this.#places.set(id, new Places(this.end))
  }

  /** No more will come of the container: what is known of it goes with its items. */
  close(id: string): void {
    const places = this.#places.get(id)
    places?.close(this.#first)
    if (places?.empty) this.#places.delete(id)
  }

  /** No place of the container is known any more. */
  forget(id: string): void {
    this.#places.delete(id)
  }

  #place(item: Item): void {
    const { member, position } = item
    if (!member || position === undefined) return
    const { id } = member.container
    const places = this.#places.get(id) ?? new Places()
    this.#places.set(id, places)
    places.add(position, this.end, item instanceof LineStep, this.#first)
  }

  #drop(): void {
    const index = this.#first++
    const item = this.#items[index - this.#base] as Item
    this.#bytes -= sizeOf(item)
    if (item.kind === "notice") this.#dropped.push({ index, item })
    if (this.#dropped.length > NOTICES) this.#dropped.shift()
    const { member, position } = item
    if (member && position !== undefined) {
      const { id } = member.container
      const places = this.#places.get(id)
      places?.drop(position, index)
      if (places?.empty) this.#places.delete(id)
    }
    if (this.#first - this.#base < DROPPED) return
    this.#items = this.#items.slice(this.#first - this.#base)
    this.#base = this.#first
  }
}

function sizeOf(item: Item): number {
  const text = item instanceof LineStep ? item.line.message.length : 0
  return ITEM_BYTES + COPIES * (text + item.cursor.length)
}
