/** What of a configuration holds until the next one is read: the keys, the limits, and how much is logged. */
import type { Config } from "../config.ts"
import { KeySet } from "../http/keys.ts"
import type { Limits } from "../http/places.ts"
import { createObserve, type Observe } from "../observe.ts"
import { readKeys } from "./keys.ts"
import { streamsThatFit } from "./open-files.ts"

export class Settings {
  readonly keys = new KeySet()
  readonly limits: Limits
  readonly observe: Observe
  readonly #limits: Writable<Limits>
  readonly #loudness: { level: Config["logLevel"]; readonly write: (line: string) => void }

  /** Throws a UsageError. */
  constructor(config: Config, write: (line: string) => void) {
    this.#loudness = { level: config.logLevel, write }
    this.observe = createObserve(this.#loudness)
    this.limits = this.#limits = limitsOf(config)
    this.#take(config)
  }

  /** Takes what is found now, if there is no mistake in it: else everything stays as it is, and the log says why. */
  reload(read: () => Config): void {
    try {
      this.#take(read())
    } catch (reason) {
      this.observe.log("warn", "not reloaded", { reason })
      return
    }
    const { size, names } = this.keys
    this.observe.log("info", "reloaded", { keys: size, names: names.join(",") || undefined })
  }

  /** Throws a UsageError before anything has changed. */
  #take(config: Config): void {
    const entries = readKeys(config.keys)
    this.keys.replace(entries)
    Object.assign(this.#limits, limitsOf(config))
    this.#loudness.level = config.logLevel
    const { streams } = this.limits
    if (streams < config.maxStreams) {
      const fields = { asked: config.maxStreams, possible: streams }
      this.observe.log("warn", "fewer streams: raise the limit of open files", fields)
    }
    this.observe.limits({ ...this.limits })
  }
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] }

function limitsOf({ maxStreams, maxStreamsPerKey, maxSnapshots, tailMax }: Config): Limits {
  return {
    streams: Math.min(maxStreams, streamsThatFit()),
    streamsPerKey: maxStreamsPerKey,
    snapshots: maxSnapshots,
    tail: tailMax,
  }
}
