/** The API keys from all places that hold some. */
import type { Given } from "../given.ts"
import { createKeySet, type KeySet, parseKeys } from "../http/keys.ts"
import { firstLine, UsageError } from "../usage.ts"

/** Throws a UsageError for a place without a key, or with one that no client could send. */
export function readKeys(places: readonly Given[]): KeySet {
  const keys: string[] = []
  for (const { source, text } of places) {
    const found = parseKeys(text)
    if (found.length === 0) throw new UsageError(source, "a key on a line of its own is wanted")
    try {
      createKeySet(found)
    } catch (error) {
      throw new UsageError(source, firstLine(error))
    }
    keys.push(...found)
  }
  return createKeySet(keys)
}
