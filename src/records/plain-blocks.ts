/** Finds plain records in some bytes, and makes blocks of them: what is otherwise is left to the parsers. */
import { type Address, kernels } from "../kernels/kernels.ts"
import { Room, takeOut, takeWords, WORD_BYTES } from "../kernels/room.ts"
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
  readonly #bytes: Buffer
  readonly #format: (typeof FORMATS)[PlainFormat]
  readonly #most: number
  readonly #begin: Address
  readonly #columns: Address
  /** Where the bytes of a block are. */
  readonly #out: Address
  #end = 0

  /** Of bytes that end where a record does, but for frames. */
  constructor(bytes: Buffer, format: PlainFormat) {
    const room = new Room()
    this.#bytes = bytes
    this.#format = FORMATS[format]
    this.#most = Math.ceil(bytes.length / LEAST_BYTES)
    this.#begin = room.put(bytes)
    // Starts, ends and counts; streams take a byte.
    this.#columns = room.reserve(this.#most * (3 * WORD_BYTES + 1))
    // Of one that turns out not to be plain, a head has been written, and the text.
    const written = bytes.length + this.#most + LEAST_BYTES
    this.#out = this.#format.inPlace ? this.#begin : room.reserve(written)
  }

  /** Where the last one ended that was taken. */
  get end(): number {
    return this.#end
  }

  /** Those from `from` on, where a record begins, up to the first that is not plain; `undefined`: that is this one. */
  take(from: number): Block | undefined {
    const { take, joins } = this.#format
    kernels.begin(this.#columns, this.#most, this.#out, joins)
    const at = take(this.#begin + from, this.#begin + this.#bytes.length)
    this.#end = at - this.#begin
    return this.#takeOut()
  }

  #takeOut(): Block | undefined {
    const length = kernels.length.value
    if (length === 0) return undefined
    const column = (index: number) => this.#columns + index * this.#most * WORD_BYTES
    const ends = takeWords(column(1), length)
    const end = (ends[length - 1] as number) + 1
    return new Block(this.#format.inPlace ? this.#bytes : takeOut(this.#out, this.#out + end), {
      starts: takeWords(column(0), length),
      ends,
      counts: takeWords(column(2), length),
      streams: takeOut(column(3), column(3) + length),
      lines: kernels.lines.value,
    })
  }
}
