/** The API keys: several may be valid at once, so that one can be replaced without an outage. */
import { createHash, timingSafeEqual } from "node:crypto"
import { matches } from "./wildcard.ts"

/** What is known of a key. The key itself is known to nobody but its owner. */
export interface KeyEntry {
  /** What the operator calls it. A key that stands in its file as it is has none. */
  readonly name?: string
  /** The key's SHA-256: 32 bytes. */
  readonly hash: Uint8Array
  /** Patterns of the apps that it may see, as `blog-*`; without them, it may see every app. */
  readonly apps?: readonly string[]
}

/**
 * A key, for as long as it is valid. When keys are read again it stays the same object, so that whoever came with it
 * may see from then on what it may see now.
 */
export class Key {
  readonly #hash: Uint8Array
  #entry: KeyEntry | undefined
  readonly #listeners = new Set<() => void>()

  constructor(entry: KeyEntry) {
    this.#hash = entry.hash
    this.#entry = entry
  }

  /** For messages; a key is never told by anything else. */
  get name(): string | undefined {
    return this.#entry?.name
  }

  /** Whether there may be apps that it does not see. */
  get isScoped(): boolean {
    return this.#entry === undefined || this.#entry.apps !== undefined
  }

  sees(app: string): boolean {
    if (this.#entry === undefined) return false
    return this.#entry.apps?.some((pattern) => matches(pattern, app)) ?? true
  }

  /** Takes as long whatever the difference is. */
  hasHash(hash: Uint8Array): boolean {
    return timingSafeEqual(this.#hash, hash)
  }

  /** Calls back whenever it may see other apps than before, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** `undefined`: it is not valid any more. */
  change(entry: KeyEntry | undefined): void {
    this.#entry = entry
    for (const listener of this.#listeners) listener()
  }
}

export class KeySet {
  #keys: readonly Key[] = []

  constructor(entries: readonly KeyEntry[] = []) {
    this.replace(entries)
  }

  get size(): number {
    return this.#keys.length
  }

  /** Of those that have one. */
  get names(): readonly string[] {
    return this.#keys.flatMap(({ name }) => name ?? [])
  }

  /**
   * The key that a word is; `undefined`: none. Every key is compared, by its hash: it takes as long for every word of
   * the same length, whichever key it equals, and how far.
   */
  find(word: string): Key | undefined {
    const hash = hashKey(word)
    let found: Key | undefined
    for (const key of this.#keys) found = key.hasHash(hash) ? key : found
    return found
  }

  /** From now on these are valid, and no others. No two may have one hash. */
  replace(entries: readonly KeyEntry[]): void {
    const before = this.#keys
    this.#keys = entries.map(
      (entry) => before.find((key) => key.hasHash(entry.hash)) ?? new Key(entry),
    )
    for (const key of before) if (!this.#keys.includes(key)) key.change(undefined)
    for (const [index, key] of this.#keys.entries()) key.change(entries[index])
  }
}

const keysOfRequests = new WeakMap<Request, Key>()

/** The request has come with this key. */
export function noteKey(request: Request, key: Key): void {
  keysOfRequests.set(request, key)
}

/** The key that a request has come with; `undefined` where none is asked for. */
export function keyOf(request: Request): Key | undefined {
  return keysOfRequests.get(request)
}

/** What is kept of a key, and what a key that comes is compared by. */
export function hashKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest()
}
