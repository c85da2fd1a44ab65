/**
 * A block whose lines know their places: each is counted from the first record that is stamped as late as any before
 * it, as an anchor is.
 */
import { type Address, kernels } from "../kernels/kernels.ts"
import { bytesAt, Room, WORD_BYTES } from "../kernels/room.ts"
import type * as Records from "../records/block.ts"
import { decodeUtf8 } from "../records/record.ts"
import type { Block, Line, Row, RowPart, StreamName } from "../runtime.ts"
import { INSTANT_BYTES, type Instant } from "../time.ts"
import type { AnchorTracker } from "./anchor.ts"
import type { Anchor } from "./place.ts"
import { PlacedLine } from "./placed-line.ts"

/** Of a position that is an anchor: a letter, a time, two numbers and two hashes in base 36, and what is between them. */
const POSITION_BYTES = 48

/** What kernels know them by. */
const PART_NUMBERS: Readonly<Record<RowPart | "end", number>> = {
  end: 0,
  timestamp: 1,
  message: 2,
  jsonMessage: 3,
  position: 4,
}

export class PlacedBlock implements Block {
  readonly length: number
  readonly first: Instant
  readonly latest: Instant
  readonly #records: Records.Block
  #lines: readonly Line[] | undefined
  readonly #before: AnchorTracker
  /** How many records before the block those from its first one on are counted with. */
  readonly #counted: number

  /** `before` has met all that stands before them. */
  constructor(records: Records.Block, before: AnchorTracker) {
    this.length = records.lines
    this.first = records.timestamp(0)
    this.latest = records.latest
    this.#records = records
    this.#before = before
    this.#counted = before.countOf(this.first) ?? 0
  }

  /** Each as an object, for whoever needs it. */
  get lines(): readonly Line[] {
    return (this.#lines ??= this.#toLines())
  }

  toRows<T>(
    { stdout, stderr }: Readonly<Record<StreamName, Row>>,
    take: (bytes: Uint8Array) => T,
  ): T {
    const { length } = this
    const { room, at: block } = Room.around(this.#records)
    const tellsPositions = [...stdout.parts, ...stderr.parts].includes("position")
    const positions = tellsPositions
      ? this.#writePositions(room, block)
      : { at: 0, ends: 0, bytes: 0 }
    const rowBytes = Math.max(bytesOf(stdout), bytesOf(stderr))
    // In JSON, each character of a message may take two.
    const out = room.reserve(length * rowBytes + positions.bytes + 2 * this.#records.span)
    const [outRow, errRow] = [putRow(room, stdout), putRow(room, stderr)]
    const end = kernels.writeRows(block, positions.at, positions.ends, outRow, errRow, out)
    this.#records.release()
    return take(bytesAt(out, end))
  }

  /** Each as `formatPlace` says it. */
  #writePositions(room: Room, block: Address): Positions {
    const before = this.#counted > 0 ? this.#before.hashes : []
    const hashes = room.put(Uint32Array.from(before), this.#records.length * WORD_BYTES)
    const at = room.reserve(this.length * POSITION_BYTES)
    const ends = room.reserve(this.length * WORD_BYTES)
    const end = kernels.writePositions(block, this.#counted, hashes, before.length, at, ends)
    return { at, ends, bytes: end - at }
  }

  #toLines(): readonly Line[] {
    const tracker = this.#before.fork()
    const lines: Line[] = []
    let text = ""
    let opened: Instant | undefined
    for (const record of this.#records.records()) {
      const { stream, ended } = record
      tracker.push(record)
      text += record.text
      opened ??= record.timestamp
      if (!ended) continue
      const line = { stream, timestamp: opened, message: decodeUtf8(text), partial: false }
      lines.push(new PlacedLine(line, { base: tracker.anchor as Anchor, lines: 0 }))
      text = ""
      opened = undefined
    }
    return lines
  }
}

/** One behind the other, in the kernels' memory, and where each one ends. */
interface Positions {
  readonly at: Address
  readonly ends: Address
  readonly bytes: number
}

/** All of a row that is neither message nor position. */
function bytesOf({ literals }: Row): number {
  return literals.reduce((sum, { length }) => sum + length, INSTANT_BYTES)
}

/** As `writeRows` reads it: of each literal where it is, how long it is, and which part stands behind it. */
function putRow(room: Room, { literals, parts }: Row): Address {
  const numbers = literals.flatMap((literal, index) => {
    return [room.put(literal), literal.length, PART_NUMBERS[parts[index] ?? "end"]]
  })
  return room.put(Int32Array.from(numbers))
}
