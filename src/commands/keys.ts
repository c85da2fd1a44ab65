/** The API keys from all places that hold some. */
import type { Given } from "../given.ts"
import type { KeyEntry } from "../http/keys.ts"
import { UsageError } from "../usage.ts"
import { parseKeyFile } from "./key-file.ts"

/**
 * Throws a UsageError for a place without a key, or with a bad one, and where a name or a key would mean two things. A
 * key without a name may stand in many places.
 */
export function readKeys(places: readonly Given[]): readonly KeyEntry[] {
  const found = new Map<string, KeyEntry>()
  const names = new Set<string>()
  for (const place of places) {
    for (const entry of parseKeyFile(place)) {
      const { name, hash } = entry
      const hex = Buffer.from(hash).toString("hex")
      const same = found.get(hex)
      if (same && (name ?? same.name) !== undefined) {
        throw new UsageError(
          place.source,
          `${tell(same)} and ${tell(entry)} are one and the same key`,
        )
      }
      if (name !== undefined && names.has(name)) {
        throw new UsageError(place.source, `the name ${name} is given twice`)
      }
      found.set(hex, entry)
      if (name !== undefined) names.add(name)
    }
  }
  return [...found.values()]
}

function tell({ name }: KeyEntry): string {
  return name ?? "a key without a name"
}
