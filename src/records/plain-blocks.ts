/** Finds plain records in some bytes, and makes blocks of them: what is otherwise is left to the parsers. */
import { type Address, kernels } from "../kernels/kernels.ts"
import { lookAt, Room, WORD_BYTES } from "../kernels/room.ts"
import { Block } from "./block.ts"

/**
 * How the records are written, whether a block can be made of the log's own bytes, and whether a record without a line
 * feed, however short, is a part of a line.
 */
const FORMATS = {
  "json-file": { take: kernels.takeJsonFile, inPlace: false, joins: false },
  "json-file in parts": { take: kernels.takeJsonFile, inPlace: false, joins: true },
  cri: { take: kernels.takeCri, inPlace: false, joins: true },
  frames: { take: kernels.takeFrames, inPlace: true, joins: false },
} as const

export type PlainFormat = keyof typeof FORMATS

/** No plain record takes less in a log. In a block it takes a byte more at most. */
const LEAST_BYTES = 31

/** To be done with before others are made: they share the kernels' memory. */
export class PlainBlocks {
  readonly #length: number
  readonly #format: (typeof FORMATS)[PlainFormat]
  readonly #most: number
  readonly #room = Room.make()
  readonly #begin: Address
  readonly #columns: Address
  /** Where the bytes of a block are to be; of one that is made of the log's own, they are there. */
  readonly #out: Address | undefined
  #end = 0

  /** Of bytes that end where a record does, but for frames. */
  constructor(bytes: Buffer, format: PlainFormat) {
    const room = this.#room
    this.#length = bytes.length
    this.#format = FORMATS[format]
    this.#most = Math.ceil(bytes.length / LEAST_BYTES)
    this.#begin = room.put(bytes)
    // Starts, ends and counts; streams take a byte.
    this.#columns = room.reserve(this.#most * (3 * WORD_BYTES + 1))
    // Of one that turns out not to be plain, a head has been written, and the text.
    const written = bytes.length + this.#most + LEAST_BYTES
    this.#out = this.#format.inPlace ? undefined : room.reserve(written)
  }

  /** Where the last one ended that was taken. */
  get end(): number {
    return this.#end
  }

  /** Those from `from` on, where a record begins, up to the first that is not plain; `undefined`: that is this one. */
  take(from: number): Block | undefined {
    const { take, joins } = this.#format
    const begin = this.#begin + from
    const bytes = this.#out ?? begin
    this.#room.clear()
    kernels.begin(this.#columns, this.#most, bytes, joins)
    const at = take(begin, this.#begin + this.#length)
    this.#end = at - this.#begin
    const length = kernels.length.value
    if (length === 0) return undefined
    const column = (index: number) => this.#columns + index * this.#most * WORD_BYTES
    const places = {
      bytes,
      starts: column(0),
      ends: column(1),
      counts: column(2),
      streams: column(3),
    }
    const block = new Block(lookAt(places, length), kernels.lines.value)
    this.#room.house(block, places)
    return block
  }
}
