/** What is read of a log at once: entries, or a block of lines that nobody may have to look at one by one. */
import type { Member } from "../apps/app.ts"
import type { Block } from "../runtime.ts"

export type Some<Entry> = readonly Entry[] | Packed<Entry>

/** Lines of one container, as a block. */
export class Packed<Entry> {
  readonly member: Member
  readonly block: Block
  /** Behind all of them. */
  readonly position: string
  readonly #unpack: () => readonly Entry[]
  #entries: readonly Entry[] | undefined

  constructor(member: Member, block: Block, position: string, unpack: () => readonly Entry[]) {
    this.member = member
    this.block = block
    this.position = position
    this.#unpack = unpack
  }

  /** Each line by itself. */
  get entries(): readonly Entry[] {
    return (this.#entries ??= this.#unpack())
  }
}

export function entriesOf<Entry>(some: Some<Entry>): readonly Entry[] {
  return some instanceof Packed ? some.entries : some
}

export function lengthOf(some: Some<unknown>): number {
  return some instanceof Packed ? some.block.length : some.length
}
