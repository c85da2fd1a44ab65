/** What kernels work on is put into their memory, and taken out again, before anybody else does so. */
import { type Address, kernels } from "./kernels.ts"

const PAGE_BYTES = 65_536

export const WORD_BYTES = 4

/** Kernels read and write up to seven bytes too far. */
const SPARE_BYTES = 8

/** All of their memory. When it grows, it is another one. */
let memory = new Uint8Array(kernels.memory.buffer)

/** As `records/block.ts` has them. */
interface Columns {
  readonly bytes: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly streams: Uint8Array
  readonly counts: Int32Array
}

/** Good until the next one is made: all of them are one memory. */
export class Room {
  #end = kernels.room.value

  /** For so many bytes. */
  reserve(bytes: number): Address {
    const address = this.#end
    this.#end = (address + bytes + 2 * SPARE_BYTES) & -SPARE_BYTES
    const missing = this.#end - memory.length
    if (missing > 0) {
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

  putBlock({ bytes, starts, ends, streams, counts }: Columns): Address {
    const { length } = starts
    const [first = 0, last = 0] = [starts[0], ends[length - 1]]
    const own = bytes.subarray(first, last + 1)
    // Other blocks may be made of the same bytes: of theirs, nothing is put here.
    const origin = this.put(own) - first
    const columns = [starts, ends, streams, counts].map((column) => this.put(column))
    return this.put(Int32Array.of(origin, ...columns, length))
  }
}

/** What stands somewhere in the kernels' memory, for good. */
export function takeOut(from: Address, to: Address): Buffer {
  return Buffer.from(memory.subarray(from, to))
}

/** So many numbers of 32 bits. */
export function takeWords(from: Address, length: number): Int32Array {
  return new Int32Array(memory.buffer, from, length).slice()
}
