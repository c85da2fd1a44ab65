/**
 * Notices when a follow begins to send again what it has sent: engines before 23 open a rotated log twice, and
 * read its first records twice.
 */
import type { LogRecord } from "../records/record.ts"
import type { Instant } from "../time.ts"
import { hashRecord } from "./anchor.ts"

/** More records than a log holds that is rotated every few megabytes. */
const REMEMBERED = 65_536

export class Repeats {
  /** In the order in which they came: a set keeps it. */
  readonly #hashes = new Set<number>()
  #latest: Instant | undefined

  /** The latest time of all that has come. */
  get latest(): Instant | undefined {
    return this.#latest
  }

  /** The records up to the first one that has come before. */
  before(records: readonly LogRecord[]): readonly LogRecord[] {
    const repeated = records.findIndex((record) => this.#isRepeated(record))
    return repeated < 0 ? records : records.slice(0, repeated)
  }

  #isRepeated(record: LogRecord): boolean {
    const hash = hashRecord(record)
    // A later record than all before it is new, whatever it says.
    if (this.#latest === undefined || record.timestamp > this.#latest) {
      this.#latest = record.timestamp
    } else if (this.#hashes.has(hash)) return true
    this.#hashes.add(hash)
    if (this.#hashes.size > REMEMBERED) this.#forgetOldest()
    return false
  }

  #forgetOldest(): void {
    for (const oldest of this.#hashes) {
      this.#hashes.delete(oldest)
      return
    }
  }
}
