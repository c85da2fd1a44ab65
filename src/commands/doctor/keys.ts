/** The API keys that `serve` would take. */
import { statSync } from "node:fs"
import { collectKeys } from "../../config.ts"
import type { Given } from "../../given.ts"
import { UsageError } from "../../usage.ts"
import { parseKeyFile } from "../key-file.ts"
import { readKeys } from "../keys.ts"
import type { Surroundings } from "../surroundings.ts"
import { count, fail, type Finding, ok, warn } from "./finding.ts"

export function* examineKeys(
  file: Given | undefined,
  { env, readFile }: Pick<Surroundings, "env" | "readFile">,
): Generator<Finding, void> {
  try {
    const places = collectKeys(file, env, readFile)
    const number = readKeys(places).length
    if (number === 0) {
      const remedy =
        "applogs key makes one; --api-key-file, or the credential api-key, hands it over"
      yield warn("keys", "none is seen here, and without one the API answers 503", remedy)
      return
    }
    const sources = places.map(({ source }) => source).join(", ")
    yield ok("keys", `${count(number, "key")} from ${sources}`)
    const inFile = places.find(({ source }) => source === file?.source)
    // A hash may be read by everybody; a key may not.
    const isSecret = inFile && parseKeyFile(inFile).some(({ name }) => name === undefined)
    if (file && isSecret && isPublic(file.text)) {
      const found = `${file.text} holds a plain key, and everybody on this host may read it`
      yield warn("keys", found, `chmod o= ${file.text}, or keep the hashes alone: applogs key`)
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    yield fail("keys", error.message)
  }
}

function isPublic(path: string): boolean {
  return (statSync(path).mode & 0o004) !== 0
}
