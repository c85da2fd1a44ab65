/** `applogs key`: makes a key. What is to be kept of it goes to stdout, for the key file; the key itself to stderr. */
import { randomBytes } from "node:crypto"
import { parseArgs } from "node:util"
import { hashKey } from "../http/keys.ts"
import { firstLine, UsageError } from "../usage.ts"
import { formatKeyEntry, isKeyName, isPattern, NAME_WANTED } from "./key-file.ts"
import type { Surroundings } from "./surroundings.ts"

/** 256 bits: nobody guesses one, so that its plain SHA-256 gives nothing away either. */
const KEY_BYTES = 32

/** Tells whoever finds one, and the scanners that look for such, what it is. */
const PREFIX = "applogs_"

/** Returns the exit code. Throws a UsageError; nothing of what may be a key is repeated in it. */
export function makeKey(argv: readonly string[], { print, complain }: Surroundings): number {
  const { name, apps } = parseWords(argv)
  const key = PREFIX + randomBytes(KEY_BYTES).toString("base64url")
  // Behind a line that has no end, as files have that were written by hand, an entry would not begin.
  print(`\n${formatKeyEntry({ name, hash: hashKey(key), ...(apps && { apps }) })}`)
  complain(`The key of ${name}, which is shown this once (only its hash is kept):\n${key}\n`)
  return 0
}

function parseWords(argv: readonly string[]): { name: string; apps?: string[] } {
  const { positionals, values } = read(argv)
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) {
    throw new UsageError("key", "one name is wanted: see applogs key --help")
  }
  if (!isKeyName(name)) throw new UsageError("key", NAME_WANTED)
  if (values.apps === undefined) return { name }
  const apps = values.apps.flatMap((list) => list.split(",")).map((app) => app.trim())
  if (!apps.every(isPattern)) throw new UsageError("--apps", "names are wanted, as shop,blog-*")
  return { name, apps }
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { apps: { type: "string", multiple: true } },
    })
  } catch (error) {
    const [mistake] = firstLine(error).split(". ", 1)
    throw new UsageError("key", `${mistake}: see applogs key --help`)
  }
}
