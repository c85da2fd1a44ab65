/**
 * Blocks of lines → bytes, without a string or an object for a line. What is written around a line is taken from how
 * a single one is encoded, so that there is one place that says it.
 */
import { type Address, kernels } from "../kernels/kernels.ts"
import { Room, takeOut } from "../kernels/room.ts"
import type { Block, Line, Positions } from "../runtime.ts"
import { INSTANT_BYTES, type Instant } from "../time.ts"

const HOLES = ["timestamp", "message", "position"] as const

/** What `writeRows` knows them by. */
const HOLE_NUMBERS = { end: 0, timestamp: 1, message: 2, jsonMessage: 3, position: 4 } as const

type Hole = (typeof HOLES)[number]

interface Row {
  /** What stands before each hole, and in the end. */
  readonly literals: readonly Buffer[]
  readonly holes: readonly Hole[]
  /** All that is neither message nor position. */
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
  const { length } = block
  const positions = stdout.holes.includes("position") ? block.positions() : unnamed(length)
  const [first = 0, last = 0] = [block.starts[0], block.ends[length - 1]]
  const rowBytes = Math.max(stdout.bytes, stderr.bytes)
  const room = new Room()
  const out = room.reserve(
    length * rowBytes + positions.bytes.length + (last - first) * (inJson ? 2 : 1),
  )
  const end = kernels.writeRows(
    room.putBlock(block),
    room.put(positions.bytes),
    room.put(positions.ends),
    putRow(room, stdout, inJson),
    putRow(room, stderr, inJson),
    out,
  )
  return takeOut(out, end)
}

/** For rows that do not say them. */
function unnamed(length: number): Positions {
  return { bytes: new Uint8Array(), ends: new Int32Array(length) }
}

/** As `writeRows` reads it: of each part where it is, how long it is, and what stands behind it. */
function putRow(room: Room, { literals, holes }: Row, inJson: boolean): Address {
  const numbers = literals.flatMap((literal, part) => {
    const hole = holes[part] ?? "end"
    const number = hole === "message" && inJson ? HOLE_NUMBERS.jsonMessage : HOLE_NUMBERS[hole]
    return [room.put(literal), literal.length, number]
  })
  return room.put(Int32Array.from(numbers))
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
  const bytes = literals.reduce((sum, { length }) => sum + length, INSTANT_BYTES)
  return { literals, holes: holes.map(({ hole }) => hole), bytes }
}
