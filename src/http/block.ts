/**
 * Blocks of lines → bytes, without a string or an object for a line. What is written around a line is taken from how
 * a single one is encoded, so that there is one place that says it.
 */
import { copy } from "../bytes.ts"
import { type Block, type Line, POSITION_BYTES, STREAM_NUMBERS } from "../runtime.ts"
import { INSTANT_BYTES, type Instant } from "../time.ts"

/** A time, and a blank behind it. */
const HEAD_BYTES = INSTANT_BYTES + 1

const HOLES = ["timestamp", "message", "position"] as const

type Hole = (typeof HOLES)[number]

interface Row {
  /** What stands before each hole, and in the end. */
  readonly literals: readonly Buffer[]
  readonly holes: readonly Hole[]
  /** All that is not message, at most. */
  readonly bytes: number
}

/**
 * What stands in the holes of a line that is encoded to see what is around them. Nobody can give a service such a name:
 * it is another one at each start.
 */
const SAMPLE = {
  timestamp: `0000-00-00 ${crypto.randomUUID()}` as Instant,
  message: crypto.randomUUID(),
  position: crypto.randomUUID(),
}

/** The lines of a block, one behind the other. `inJson`: messages stand in strings of JSON. */
export function encodeBlock(
  block: Block,
  encode: (line: Line) => string,
  inJson: boolean,
): Uint8Array {
  const stdout = readRow(encode({ ...SAMPLE, stream: "stdout" }))
  const stderr = readRow(encode({ ...SAMPLE, stream: "stderr" }))
  const { starts, ends, streams, length } = block
  const bytes = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.byteLength)
  const span = (ends[length - 1] as number) - (starts[0] as number)
  const rowBytes = Math.max(stdout.bytes, stderr.bytes)
  const out = Buffer.allocUnsafe(length * rowBytes + span * (inJson ? 2 : 1))
  const escapes = inJson ? new Escapes(bytes) : undefined
  let at = 0
  for (let index = 0; index < length; index++) {
    const { literals, holes } = streams[index] === STREAM_NUMBERS.stderr ? stderr : stdout
    const start = starts[index] as number
    const end = ends[index] as number
    for (let part = 0; part < literals.length; part++) {
      const literal = literals[part] as Buffer
      at = copy(literal, 0, literal.length, out, at)
      const hole = holes[part]
      if (hole === "position") at = block.writePosition(index, out, at)
      else if (hole === "message") {
        const from = start + HEAD_BYTES
        if (escapes?.areIn(from, end)) at = escape(bytes, from, end, out, at)
        else at = copy(bytes, from, end, out, at)
      } else if (hole === "timestamp") at = copy(bytes, start, start + INSTANT_BYTES, out, at)
    }
  }
  return out.subarray(0, at)
}

/** Finds the holes. */
function readRow(text: string): Row {
  const holes = HOLES.map((hole) => ({ hole, at: text.indexOf(SAMPLE[hole]) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)
  const literals: Buffer[] = []
  let end = 0
  for (const { hole, at } of holes) {
    literals.push(Buffer.from(text.slice(end, at)))
    end = at + SAMPLE[hole].length
  }
  literals.push(Buffer.from(text.slice(end)))
  const bytes = literals.reduce((sum, { length }) => sum + length, INSTANT_BYTES + POSITION_BYTES)
  return { literals, holes: holes.map(({ hole }) => hole), bytes }
}

const BACKSLASH = 0x5c

/** What cannot stand in a JSON string as it is, and what it is behind a backslash. A plain line has no others. */
const ESCAPES = new Uint8Array(256)
for (const char of ['""', "\\\\", "\tt"]) ESCAPES[char.charCodeAt(0)] = char.charCodeAt(1)

/** Where, in some bytes, there are any: most lines have none. */
class Escapes {
  readonly #bytes: Buffer
  /** Of each, where it is met next. */
  readonly #next: { readonly byte: number; at: number }[]

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#next = ['"', "\\", "\t"].map((char) => ({ byte: char.charCodeAt(0), at: -1 }))
  }

  /** Asked of one span behind the other. */
  areIn(from: number, to: number): boolean {
    let found = false
    for (const next of this.#next) {
      if (next.at < from) {
        const at = this.#bytes.indexOf(next.byte, from)
        next.at = at < 0 ? Number.MAX_SAFE_INTEGER : at
      }
      found ||= next.at < to
    }
    return found
  }
}

function escape(from: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  let to = at
  for (let index = start; index < end; index++) {
    const byte = from[index] as number
    const escaped = ESCAPES[byte] as number
    if (escaped === 0) out[to++] = byte
    else {
      out[to++] = BACKSLASH
      out[to++] = escaped
    }
  }
  return to
}
