/** Whether numbered lines, from 1 on, come every one, once, and one after the other. */

interface Gap {
  readonly from: number
  readonly to: number
}

/** More gaps at once are not remembered: what belongs to an older one counts as lost, and as doubled if it comes. */
const GAPS = 1_000

export class Order {
  /** How many have come. */
  count = 0
  /** The one that came before all others. */
  first = 0
  /** The greatest that has come. */
  last = 0
  /** Below the last one, those that have not come. */
  lost = 0
  /** Those that came once more. */
  doubled = 0
  /** Those that came behind a greater one. */
  reordered = 0
  #gaps: Gap[] = []

  add(number: number): void {
    if (this.count++ === 0) this.first = number
    if (number === this.last + 1) {
      this.last = number
    } else if (number > this.last) {
      this.lost += number - this.last - 1
      this.#gaps.push({ from: this.last + 1, to: number - 1 })
      if (this.#gaps.length > GAPS) this.#gaps.shift()
      this.last = number
    } else if (this.#fill(number)) {
      this.lost--
      this.reordered++
    } else {
      this.doubled++
    }
  }

  /** Whether these are all, and as they should be. */
  isComplete(lines: number): boolean {
    return this.last === lines && this.count === lines && this.lost === 0 && this.reordered === 0
  }

  /** Takes a number out of the gap that it belongs to; false if there is none. */
  #fill(number: number): boolean {
    const place = this.#gaps.findIndex(({ from, to }) => from <= number && number <= to)
    const gap = this.#gaps[place]
    if (!gap) return false
    const halves = [
      { from: gap.from, to: number - 1 },
      { from: number + 1, to: gap.to },
    ]
    this.#gaps.splice(place, 1, ...halves.filter(({ from, to }) => from <= to))
    return true
  }
}
