/** How long a run is, and its random numbers. Every test prints the seed of its own, so that a run can be had again. */

/** `full` when asked for (`make soak`), `short` in CI. Goes into the test's title, so that nothing is left out in silence. */
export function count({ full, short }: { full: number; short: number }): number {
  return process.env["APPLOGS_SOAK"] === "full" ? full : short
}

/** Random numbers from a seed: `SEED` in the environment, or one of its own. */
export class Chance {
  readonly seed: number
  #state: number

  constructor(seed = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31))) {
    this.seed = seed
    this.#state = seed
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let word = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number; both ends are included. */
  between(least: number, most: number): number {
    return least + Math.trunc(this.next() * (most - least + 1))
  }

  /** Small numbers as often as great ones of each order of magnitude. */
  spread(least: number, most: number): number {
    return Math.round(Math.exp(Math.log(least) + this.next() * Math.log(most / least)))
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0]
  }
}
