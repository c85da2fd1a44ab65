/** How much is served at once: live streams in total and for each key, and snapshots. */
import { type Code, Failure } from "../errors.ts"
import { type Key, keyOf } from "./keys.ts"

export interface Limits {
  /** Live streams that may be open at once. */
  readonly streams: number
  /** And of these, with one and the same key. Whoever needs no key is bound by the total alone. */
  readonly streamsPerKey: number
  /** Snapshots that may be read at once. */
  readonly snapshots: number
  /** The most lines that `tail` may ask for by number. */
  readonly tail: number
}

/** Gives the place back; a second call changes nothing. */
type Leave = () => void

export class Places {
  readonly #limits: Limits
  readonly #streams: Room
  readonly #snapshots: Room
  readonly #ofKeys = new WeakMap<Key, Room>()

  /** The limits may change later; what has been let in stays. */
  constructor(limits: Limits) {
    this.#limits = limits
    this.#streams = new Room(() => limits.streams, "too_many_streams", "live streams")
    this.#snapshots = new Room(() => limits.snapshots, "too_many_snapshots", "snapshots")
  }

  /** Throws `too_many_streams`. */
  takeStream(request: Request): Leave {
    const leave = this.#streams.enter()
    const key = keyOf(request)
    if (key === undefined) return leave
    try {
      const leaveOfKey = this.#ofKey(key).enter()
      return () => {
        leaveOfKey()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Throws `too_many_snapshots`. */
  takeSnapshot(): Leave {
    return this.#snapshots.enter()
  }

  #ofKey(key: Key): Room {
    const room =
      this.#ofKeys.get(key) ??
      new Room(() => this.#limits.streamsPerKey, "too_many_streams", "live streams of this key")
    this.#ofKeys.set(key, room)
    return room
  }
}

class Room {
  readonly #limit: () => number
  readonly #code: Code
  readonly #what: string
  #taken = 0

  constructor(limit: () => number, code: Code, what: string) {
    this.#limit = limit
    this.#code = code
    this.#what = what
  }

  enter(): Leave {
    const limit = this.#limit()
    if (this.#taken >= limit) {
      const detail = `all ${limit} places for ${this.#what} are taken: close one, or raise the limit`
      throw new Failure(this.#code, detail)
    }
    this.#taken++
    let isHere = true
    return () => {
      if (isHere) this.#taken--
      isHere = false
    }
  }
}
