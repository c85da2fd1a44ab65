/** What kernels work on is put into their memory. A block that they have made stays there until somebody else comes. */
import { type Address, kernels } from "./kernels.ts"

const PAGE_BYTES = 65_536

export const WORD_BYTES = 4

/** Kernels read and write up to seven bytes too far. */
const SPARE_BYTES = 8

/** All of their memory. When it grows, it is another one. */
let memory = new Uint8Array(kernels.memory.buffer)

/** As `records/block.ts` has them. */
export interface Columns {
  readonly bytes: Buffer
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly streams: Uint8Array
  readonly counts: Int32Array
}

export type Places = Readonly<Record<keyof Columns, Address>>

/** Whose columns are in the kernels' memory, or were. */
export interface Tenant {
  readonly columns: Columns
  /** They will not be there any more: copies have to do. */
  leave(): void
}

let tenant: Tenant | undefined
/** Where kernels find its block, and where the room behind that begins. */
let home = { at: 0, end: 0 }

/** Good until the next one is made: all of them are one memory. */
export class Room {
  #end: Address

  private constructor(end: Address) {
    this.#end = end
  }

  static make(): Room {
    const room = new Room(kernels.room.value)
    room.clear()
    return room
  }

  /** With a block in it, and where kernels find that. */
  static around(block: Tenant): { readonly room: Room; readonly at: Address } {
    if (tenant === block) return { room: new Room(home.end), at: home.at }
    const room = Room.make()
    return { room, at: room.#putBlock(block.columns) }
  }

  /** What is here is overwritten. */
  clear(): void {
    tenant?.leave()
    tenant = undefined
  }

  /** For so many bytes. */
  reserve(bytes: number): Address {
    const address = this.#end
    this.#end = (address + bytes + 2 * SPARE_BYTES) & -SPARE_BYTES
    const missing = this.#end - memory.length
    if (missing > 0) {
      // It stays where it is, but nobody sees it there.
      tenant?.leave()
      kernels.memory.grow(Math.ceil(missing / PAGE_BYTES))
      memory = new Uint8Array(kernels.memory.buffer)
    }
    return address
  }

  /** A copy, with zeros behind it, at which a loop stops that looks for what does not come, and then room for more. */
  put({ buffer, byteOffset, byteLength }: ArrayBufferView, more = 0): Address {
    const address = this.reserve(byteLength + more)
    memory.set(new Uint8Array(buffer, byteOffset, byteLength), address)
    memory.fill(0, address + byteLength, address + byteLength + SPARE_BYTES)
    return address
  }

  /** Its columns are here. It may stay until the room is cleared. */
  house(block: Tenant, places: Places): void {
    const at = this.#describe(places, block.columns.starts.length)
    tenant = block
    home = { at, end: this.#end }
  }

  #putBlock({ bytes, starts, ends, streams, counts }: Columns): Address {
    const places = {
      bytes: this.put(bytes),
      starts: this.put(starts),
      ends: this.put(ends),
      streams: this.put(streams),
      counts: this.put(counts),
    }
    return this.#describe(places, starts.length)
  }

  /** As `assembly/block.ts` has it. */
  #describe({ bytes, starts, ends, streams, counts }: Places, length: number): Address {
    return this.put(Int32Array.of(bytes, starts, ends, streams, counts, length))
  }
}

/** Whatever stands there of it. */
export function forget(block: Tenant): void {
  if (tenant === block) tenant = undefined
}

/** What stands somewhere in the kernels' memory, as long as nobody else needs it. */
export function bytesAt(from: Address, to: Address): Uint8Array {
  return memory.subarray(from, to)
}

/** Columns of so many records as they stand there, until their tenant has to leave. */
export function lookAt(places: Places, length: number): Columns {
  const words = (at: Address) => new Int32Array(memory.buffer, at, length)
  const ends = words(places.ends)
  const bytes = (ends[length - 1] as number) + 1
  return {
    bytes: Buffer.from(memory.buffer, places.bytes, bytes),
    starts: words(places.starts),
    ends,
    streams: memory.subarray(places.streams, places.streams + length),
    counts: words(places.counts),
  }
}

/** The same, in memory of their own. */
export function copyOf({ bytes, starts, ends, streams, counts }: Columns): Columns {
  return {
    bytes: Buffer.from(bytes),
    starts: starts.slice(),
    ends: ends.slice(),
    streams: streams.slice(),
    counts: counts.slice(),
  }
}
