/** What a real engine will not do on command. Each takes effect from the next request or byte on. */

/** How a body is handed out: a chunk for each frame (as the engine does), all at once, or so many bytes. */
export type Chunking = "frame" | "whole" | number

/** What befalls one log response. */
export interface Mishap {
  /** Body bytes until then, HTTP's own not counted. */
  readonly afterBytes: number
  /** `reset`: the connection breaks. `end`: a clean end, though there is more. `stall`: silence. */
  readonly kind: "reset" | "end" | "stall"
  /** For `stall`: when it goes on. */
  readonly released?: Promise<void>
}

export interface FakeError {
  /** Stands before the record with this number in the response; the first is 0. */
  readonly atRecord: number
  readonly text: string
  /** Whether the body ends behind it, as the engine's does. */
  readonly ends: boolean
}

interface Refusal {
  readonly match: RegExp
  readonly status: number
  readonly message: string
  left: number
}

interface Hang {
  readonly match: RegExp
  readonly released: Promise<void>
}

const EVERYTHING = /(?:)/

export class Faults {
  chunking: Chunking = "frame"
  /** Behind so many bytes of a body a number for `chunking` is of no effect. */
  chunkingUpTo = Number.POSITIVE_INFINITY
  /** Socket bytes that are handed over at a time, HTTP's own included; 0: no limit. */
  segmentBytes = 0
  /** Whether a log's headers wait for its first byte; by default as the engine's version does it. */
  delayHeaders: boolean | undefined
  /**
   * So many of a run's last records are missed by followers who had not yet got them when it ended, as
   * happens with 20.10.
   */
  missedAtEnd = 0
  /** Connections are accepted, and closed at once. */
  closeAtAccept = false
  #mishaps: Mishap[] = []
  #errors: FakeError[] = []
  #refusals: Refusal[] = []
  #hangs = new Set<Hang>()

  /** Cuts log bodies into chunks of so many bytes, wherever that cuts a frame; up to a length, if given. */
  cutEvery(bytes: number, upTo = Number.POSITIVE_INFINITY): void {
    this.chunking = bytes
    this.chunkingUpTo = upTo
  }

  /** Breaks the connection of the next `times` log responses after so many bytes. */
  resetAfterBytes(afterBytes: number, times = 1): void {
    for (let left = times; left > 0; left -= 1) this.#mishaps.push({ afterBytes, kind: "reset" })
  }

  /** Ends the next `times` log responses after so many bytes, as if the log were at its end. */
  endAfterBytes(afterBytes: number, times = 1): void {
    for (let left = times; left > 0; left -= 1) this.#mishaps.push({ afterBytes, kind: "end" })
  }

  /** The next log response goes silent after so many bytes (0: behind its headers), until released. */
  stall(afterBytes = 0): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#mishaps.push({ afterBytes, kind: "stall", released: promise })
    return resolve
  }

  /** The next log response carries an error of the daemon. */
  errorFrame(
    text: string,
    { atRecord = 0, ends = true }: Partial<Omit<FakeError, "text">> = {},
  ): void {
    this.#errors.push({ text, atRecord, ends })
  }

  /** Requests whose target matches get no answer until released. */
  hang(match = EVERYTHING): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const hang = { match, released: promise }
    this.#hangs.add(hang)
    return () => {
      this.#hangs.delete(hang)
      resolve()
    }
  }

  /** The next `times` requests whose target matches are answered with an error. */
  refuse(status: number, message: string, { match = EVERYTHING, times = 1 } = {}): void {
    this.#refusals.push({ match, status, message, left: times })
  }

  /** Takes all back; what hangs or stalls goes on. */
  clear(): void {
    this.chunking = "frame"
    this.chunkingUpTo = Number.POSITIVE_INFINITY
    this.segmentBytes = 0
    this.delayHeaders = undefined
    this.missedAtEnd = 0
    this.closeAtAccept = false
    this.#mishaps = []
    this.#errors = []
    this.#refusals = []
    this.#hangs.clear()
  }

  takeMishap(): Mishap | undefined {
    return this.#mishaps.shift()
  }

  takeError(): FakeError | undefined {
    return this.#errors.shift()
  }

  takeRefusal(target: string): { readonly status: number; readonly message: string } | undefined {
    const refusal = this.#refusals.find(({ match, left }) => left > 0 && match.test(target))
    if (refusal) refusal.left -= 1
    return refusal
  }

  hanging(target: string): Promise<void> | undefined {
    return [...this.#hangs].find(({ match }) => match.test(target))?.released
  }
}
