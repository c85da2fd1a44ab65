/** How late lines come: counted by the millisecond, so that a hundred million of them take no more room than one. */

/** What comes later still counts as that late. */
const LATEST_MS = 600_000

export class Delays {
  readonly #counts = new Uint32Array(LATEST_MS + 1)
  #count = 0
  #most = 0

  add(ms: number): void {
    // The clock of the stamps may be a little ahead.
    const at = ms <= 0 ? 0 : ms >= LATEST_MS ? LATEST_MS : Math.trunc(ms)
    this.#counts[at] = (this.#counts[at] as number) + 1
    this.#count++
    if (ms > this.#most) this.#most = ms
  }

  /** The latest one. */
  get most(): number {
    return this.#most
  }

  /** The delay that the share `at` (0…1) of all does not exceed; NaN of none. */
  quantile(at: number): number {
    if (this.#count === 0) return Number.NaN
    let left = at * this.#count
    // Each stands for up to one millisecond more.
    const ms = this.#counts.findIndex((count) => (left -= count) <= 0)
    return Math.min(ms + 1, this.#most)
  }

  clear(): void {
    this.#counts.fill(0)
    this.#count = 0
    this.#most = 0
  }
}
