/** Tells whether numbered lines all arrived, once each, and in order. See `writer.ts` for their form. */
import { WRITTEN_LINE } from "./writer.ts"

/** Both ends are included. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface SequenceReport {
  readonly container: string
  readonly stream: string
  /** How many came, doubled ones among them. */
  readonly received: number
  readonly first: number
  readonly last: number
  /** Numbers between the first and the last that never came. */
  readonly lost: readonly Range[]
  readonly doubled: readonly number[]
  /** Numbers that came after a higher one, for the first time. */
  readonly reordered: readonly number[]
}

interface Sequence {
  received: number
  first: number
  next: number
  lost: Range[]
  doubled: number[]
  reordered: number[]
}

/**
 * Is fed every line in the order of receipt. A sequence is one container's stream, and may begin at any
 * number: what came before the first is not known to be lost, so look at `first` too where it matters.
 */
export class SequenceChecker {
  /** Messages that the writer never wrote, as they came. */
  readonly malformed: string[] = []
  readonly #sequences = new Map<string, Sequence>()

  /** Takes a message of the writer; what it says of its container, stream and number is its own word. */
  addMessage(message: string): void {
    const match = WRITTEN_LINE.exec(message)
    if (match) this.add(match[1] as string, match[2] as string, Number(match[3]))
    else this.malformed.push(message)
  }

  add(container: string, stream: string, number: number): void {
    const key = `${container} ${stream}`
    let sequence = this.#sequences.get(key)
    if (!sequence) {
      sequence = { received: 0, first: number, next: number, lost: [], doubled: [], reordered: [] }
      this.#sequences.set(key, sequence)
    }
    sequence.received++
    if (number >= sequence.next) {
      if (number > sequence.next) sequence.lost.push({ from: sequence.next, to: number - 1 })
      sequence.next = number + 1
    } else {
      late(sequence, number)
    }
  }

  /** One report for each container's stream, by name. */
  report(): SequenceReport[] {
    return [...this.#sequences.entries()]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { next, ...sequence }]) => {
        const [container = "", stream = ""] = key.split(" ")
        return { container, stream, ...sequence, last: next - 1 }
      })
  }

  /** What is wrong, a line for each finding; empty when every line came once and in order. */
  problems(): string[] {
    const found = this.malformed.map((message) => `malformed: ${message.slice(0, 200)}`)
    for (const { container, stream, lost, doubled, reordered } of this.report()) {
      const where = `${container} ${stream}`
      for (const { from, to } of lost) found.push(`${where}: lost ${from}..${to}`)
      if (doubled.length > 0) found.push(`${where}: doubled ${doubled.slice(0, 20).join(" ")}`)
      if (reordered.length > 0)
        found.push(`${where}: reordered ${reordered.slice(0, 20).join(" ")}`)
    }
    return found
  }
}

/** A number below the highest one: from a hole, from before the start, or for the second time. */
function late(sequence: Sequence, number: number): void {
  const hole = sequence.lost.findIndex(({ from, to }) => from <= number && number <= to)
  if (hole >= 0) {
    const { from, to } = sequence.lost[hole] as Range
    const rest = [
      { from, to: number - 1 },
      { from: number + 1, to },
    ]
    sequence.lost.splice(hole, 1, ...rest.filter((range) => range.from <= range.to))
    sequence.reordered.push(number)
  } else if (number < sequence.first) {
    if (number < sequence.first - 1) {
      sequence.lost.unshift({ from: number + 1, to: sequence.first - 1 })
    }
    sequence.first = number
    sequence.reordered.push(number)
  } else {
    sequence.doubled.push(number)
  }
}
