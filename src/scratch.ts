/** Memory that is written again and again: what is made for one client piece by piece is no garbage then. */

/** So much more than was needed, so that a little more does not need other memory. */
const SPARE = 1.25

export class Scratch {
  #memory = new Uint8Array(0)

  /** A copy, good until the next one. */
  copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes
    if (this.#memory.length < length) this.#memory = new Uint8Array(Math.ceil(length * SPARE))
    this.#memory.set(bytes)
    return this.#memory.subarray(0, length)
  }
}
