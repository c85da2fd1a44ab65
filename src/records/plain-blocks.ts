/** Finds plain records in some bytes, and makes blocks of them: what is otherwise is left to the parsers. */
import { type Address, kernels } from "../kernels/kernels.ts"
import { readText, Room, takeOut, writeText } from "../kernels/room.ts"
import { parseRfc3339 } from "../time.ts"
import { Block } from "./block.ts"

/** How the records are written, and whether a block can be made of the log's own bytes. */
const FORMATS = {
  "json-file": { take: kernels.takeJsonFile, inPlace: false },
  cri: { take: kernels.takeCri, inPlace: false },
  frames: { take: kernels.takeFrames, inPlace: true },
} as const

export type PlainFormat = keyof typeof FORMATS

/** No plain record takes less in a log. In a block it takes a byte more at most. */
const LEAST_BYTES = 31

/** Of starts, ends and counts. Streams take a byte. */
const WORD_BYTES = 4

/** A time with a zone, or what begins like one. */
const TIME_BYTES = 35
const TIME = /^(\S{19})(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)/

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
    const { take } = this.#format
    const to = this.#begin + this.#bytes.length
    kernels.begin(this.#columns, this.#most, this.#out)
    kernels.asked.value = 0
    let at = take(this.#begin + from, to)
    for (let last = 0; ;) {
      const asked = kernels.asked.value
      // In frames, a time of another zone than UTC stays unknown.
      if (asked === 0 || asked === last || !know(asked)) break
      last = asked
      at = take(at, to)
    }
    this.#end = at - this.#begin
    return this.#takeOut(kernels.length.value)
  }

  #takeOut(length: number): Block | undefined {
    if (length === 0) return undefined
    const column = (index: number, size: number) => {
      const at = this.#columns + index * this.#most * WORD_BYTES
      return takeOut(at, at + length * size)
    }
    const ends = new Int32Array(column(1, WORD_BYTES))
    const end = (ends[length - 1] as number) + 1
    return new Block(
      this.#format.inPlace ? this.#bytes : Buffer.from(takeOut(this.#out, this.#out + end)),
      {
        starts: new Int32Array(column(0, WORD_BYTES)),
        ends,
        counts: new Int32Array(column(2, WORD_BYTES)),
        streams: new Uint8Array(column(3, 1)),
      },
    )
  }
}

/** Tells the kernels of the second that stands there. False: it is none. */
function know(at: Address): boolean {
  const [time, second, zone] = TIME.exec(readText(at, at + TIME_BYTES)) ?? []
  const instant = time === undefined ? undefined : parseRfc3339(time)
  if (instant === undefined || second === undefined || zone === undefined) return false
  writeText(second, kernels.second.value)
  writeText(instant.slice(0, second.length), kernels.utc.value)
  writeText(zone.padEnd(WORD_BYTES * 2, "\0"), kernels.zone.value)
  kernels.know(zone.length)
  return true
}
