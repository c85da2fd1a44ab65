/** The API keys: several may be valid at once, so that one can be replaced without an outage. */
import { createHash, timingSafeEqual } from "node:crypto"

/** Shorter keys could be guessed. */
const KEY_MINIMUM = 16

/** What a Bearer header can carry (RFC 6750, b64token). */
const KEY = /^[A-Za-z0-9._~+/-]+=*$/

export interface KeySet {
  readonly size: number
  /**
   * Which key a word is, from 0; `undefined`: none. Takes as long for every word of the same length, whichever key it
   * equals, and how far.
   */
  find(word: string): number | undefined
}

/**
 * Only hashes are kept. Throws an Error for a key that is too short, or that no client could send;
 * the message counts the key and never holds it.
 */
export function createKeySet(keys: readonly string[]): KeySet {
  const hashes = keys.map((key, index) => {
    const which = keys.length === 1 ? "the API key" : `API key ${index + 1}`
    if (key.length < KEY_MINIMUM) {
      throw new Error(`${which} has fewer than ${KEY_MINIMUM} characters: make a longer one`)
    }
    if (!KEY.test(key)) {
      throw new Error(`${which} may only have letters, digits and the characters -._~+/=`)
    }
    return sha256(key)
  })
  return {
    size: hashes.length,
    find(word) {
      const hash = sha256(word)
      let found = -1
      for (const [index, known] of hashes.entries()) {
        found = timingSafeEqual(known, hash) ? index : found
      }
      return found === -1 ? undefined : found
    },
  }
}

const keysOfRequests = new WeakMap<Request, number>()

/** The request has come with this key. */
export function noteKey(request: Request, key: number): void {
  keysOfRequests.set(request, key)
}

/** The key that a request has come with; `undefined` where none is asked for. */
export function keyOf(request: Request): number | undefined {
  return keysOfRequests.get(request)
}

/** A key file's text: one key a line; blank lines, and what follows a `#`, are left out. */
export function parseKeys(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "")
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest()
}
