/** Times in bytes, as `instant.ts` reads them in text: thousands of them, and most of one second. */
import { INSTANT_BYTES, parseRfc3339 } from "../time.ts"

/** `2026-08-20T12:34:56`. */
const SECOND_BYTES = 19
/** With a fraction of nine digits and an offset. */
const LONGEST = 35

const [POINT, ZERO, NINE, Z] = [0x2e, 0x30, 0x39, 0x5a]

export class Stamps {
  /** The last second that was read in full, its zone, and the same second in UTC: only fractions differ. */
  #second = Buffer.from("?")
  #zone = Buffer.alloc(0)
  #utc = Buffer.from("?")

  /**
   * Writes the time that stands at `from`, up to a byte `until`, to `out` as an `Instant`. Where the time ends; -1: it
   * is none.
   */
  write(bytes: Buffer, from: number, until: number, out: Buffer, at: number): number {
    if (!isAt(bytes, from, this.#second) || bytes[from + SECOND_BYTES] !== POINT) {
      return this.#writeOther(bytes, from, until, out, at)
    }
    for (let index = 0; index < SECOND_BYTES; index++) out[at + index] = this.#utc[index] as number
    let read = from + SECOND_BYTES + 1
    let write = at + SECOND_BYTES
    const last = at + INSTANT_BYTES - 1
    out[write++] = POINT
    for (; write < last; write++, read++) {
      const digit = bytes[read] as number
      if (digit < ZERO || digit > NINE) break
      out[write] = digit
    }
    const end = read + this.#zone.length
    if (bytes[end] !== until || !isAt(bytes, read, this.#zone)) {
      return this.#writeOther(bytes, from, until, out, at)
    }
    while (write < last) out[write++] = ZERO
    out[last] = Z
    return end
  }

  /** Whether an `Instant` stands there, as it is. */
  isInstant(bytes: Buffer, at: number): boolean {
    const last = at + INSTANT_BYTES - 1
    if (!isAt(bytes, at, this.#utc) || bytes[at + SECOND_BYTES] !== POINT || bytes[last] !== Z) {
      const read = bytes.toString("latin1", at, last + 1)
      if (parseRfc3339(read) !== read) return false
      this.#utc = Buffer.from(read.slice(0, SECOND_BYTES))
      return true
    }
    for (let read = at + SECOND_BYTES + 1; read < last; read++) {
      const digit = bytes[read] as number
      if (digit < ZERO || digit > NINE) return false
    }
    return true
  }

  /** Of another second, or zone, or without a fraction. */
  #writeOther(bytes: Buffer, from: number, until: number, out: Buffer, at: number): number {
    let end = from
    while (bytes[end] !== until) if (++end - from > LONGEST) return -1
    const read = bytes.toString("latin1", from, end)
    const instant = parseRfc3339(read)
    if (instant === undefined) return -1
    const zone = /(?:Z|[+-]\d\d:\d\d)$/.exec(read)?.[0]
    if (zone !== undefined) {
      this.#second = Buffer.from(read.slice(0, SECOND_BYTES))
      this.#zone = Buffer.from(zone)
      this.#utc = Buffer.from(instant.slice(0, SECOND_BYTES))
    }
    out.write(instant, at, "latin1")
    return end
  }
}

/** Whether these bytes stand there. */
export function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (bytes[at + index] !== wanted[index]) return false
  }
  return true
}
