/** Holds what clients received against what the engine stored, container by container, line by line. */
import type { StoredLine } from "../stored.ts"
import type { Truth } from "./shop.ts"

/** A line as a client received it. */
export interface Entry {
  readonly stream: string
  readonly timestamp: string
  readonly message: string
}

interface Span {
  /** Index of the first stored line that must have come. */
  readonly from: number
  /** Behind the last one; absent: the last one that came. */
  readonly to?: number
}

export class Ledger {
  /** Lines that came. */
  received = 0
  lost = 0
  /** Lines that are missing where a gap says so. */
  told = 0
  doubled = 0
  reordered = 0
  unexplained = 0
  /** The first few of each, in words. Empty when all is as it should be. */
  readonly faults: string[] = []

  /**
   * `what` says in a fault whose lines they are. `gaps` stand before the received lines with these indexes: what is
   * missing between that line and the one before it is told, and not lost.
   */
  check(
    what: string,
    received: readonly Entry[],
    stored: readonly StoredLine[],
    { from, to }: Span,
    gaps: readonly number[] = [],
  ): void {
    this.received += received.length
    const places = new Map(stored.map((line, index) => [keyOf(line), index]))
    if (places.size !== stored.length) throw new Error(`${what}: lines that cannot be told apart`)
    const came = new Set<number>()
    const told = new Set<number>()
    const gapped = new Set(gaps)
    let highest = from - 1
    let isBehindGap = false
    const tell = (end: number) => {
      for (let place = highest + 1; isBehindGap && place < end; place++) told.add(place)
      isBehindGap = false
    }
    for (const [index, line] of received.entries()) {
      const place = places.get(keyOf(line))
      isBehindGap ||= gapped.has(index)
      if (place === undefined || place >= (to ?? stored.length)) {
        this.#fault("unexplained", what, keyOf(line))
      } else if (place < from || came.has(place)) {
        this.#fault("doubled", what, `${place} (of ${from}…): ${keyOf(line)}`)
      } else {
        if (place < highest) this.#fault("reordered", what, `${place}: ${keyOf(line)}`)
        tell(place)
        came.add(place)
        highest = Math.max(highest, place)
      }
    }
    isBehindGap ||= gapped.has(received.length)
    const end = to ?? highest + 1
    tell(end)
    for (let place = from; place < end; place++) {
      const line = stored[place]
      if (!line || came.has(place)) continue
      if (told.has(place)) this.told++
      else this.#fault("lost", what, `${place}: ${keyOf(line)}`)
    }
  }

  /** All that the containers ever wrote, once each and in order. */
  checkWhole(
    what: string,
    received: readonly (Entry & { readonly container: string })[],
    truth: Truth,
  ): void {
    const lines = Map.groupBy(received, ({ container }) => container)
    for (const name of lines.keys()) {
      if (!truth.has(name)) this.#fault("unexplained", what, `a container ${name}`)
    }
    for (const [name, stored] of truth) {
      const span = { from: 0, to: stored.length }
      this.check(`${what} ${name}`, lines.get(name) ?? [], stored, span)
    }
  }

  get report(): string {
    const { received, told, lost, doubled, reordered, unexplained } = this
    const bad = `${lost} lost, ${doubled} doubled, ${reordered} reordered, ${unexplained} unexplained`
    return `${received} lines received: ${bad}${told > 0 ? `, ${told} missing behind gaps` : ""}`
  }

  #fault(kind: "lost" | "doubled" | "reordered" | "unexplained", what: string, which: string) {
    this[kind]++
    if (this[kind] <= 20) this.faults.push(`${kind}: ${what} ${which.slice(0, 200)}`)
  }
}

function keyOf({ stream, timestamp, message }: Entry): string {
  return `${timestamp} ${stream} ${message}`
}
