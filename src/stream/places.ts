/** Where a container's reader has stood, and which of the ring's steps led there. */
export class Places {
  readonly #indexes = new Map<string, number>()
  #newest:
    | { readonly position: string; readonly index: number; readonly isLine: boolean }
    | undefined
  /** The index of the first step, if that is the log's own first. */
  #first: number | undefined

  /** `first`: the log is read from its first line on, and this is the index that the next item will have. */
  constructor(first?: number) {
    this.#first = first
  }

  get empty(): boolean {
    return this.#indexes.size === 0 && this.#newest === undefined
  }

  /** `undefined`: not known. The newest place is, however old it is. */
  find(position: string): number | undefined {
    return this.#newest?.position === position ? this.#newest.index : this.#indexes.get(position)
  }

  /** Whether the ring, whose oldest item has this index, holds all that has been read. */
  isWhole(oldest: number): boolean {
    return this.#first !== undefined && this.#first >= oldest
  }

  /** Where no line has led, there may be more than one such place: it counts only while it is the newest. */
  add(position: string, index: number, isLine: boolean, oldest: number): void {
    if (this.empty && this.#first !== undefined) this.#first = index
    if (this.#newest?.isLine) this.#keepNewest(oldest)
    this.#newest = { position, index, isLine }
  }

  /** The step is no longer in the ring. */
  drop(position: string, index: number): void {
    if (this.#indexes.get(position) === index) this.#indexes.delete(position)
  }

  /** No more will come: the newest place goes when its step does. */
  close(oldest: number): void {
    this.#keepNewest(oldest)
    this.#newest = undefined
  }

  #keepNewest(oldest: number): void {
    const newest = this.#newest
    if (newest && newest.index >= oldest) this.#indexes.set(newest.position, newest.index)
  }
}
