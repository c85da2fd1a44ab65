/** `applogs key`: makes a key. What is to be kept of it goes to stdout, for the key file; the key itself to stderr. */
import { randomBytes } from "node:crypto"
import { collect } from "../given.ts"
import { hashKey } from "../http/keys.ts"
import type { Options } from "../options.ts"
import { UsageError } from "../usage.ts"
import { formatKeyEntry, isKeyName, isPattern, NAME_WANTED } from "./key-file.ts"
import type { Surroundings } from "./surroundings.ts"

/** 256 bits: nobody guesses one, so that its plain SHA-256 gives nothing away either. */
const KEY_BYTES = 32

/** Tells whoever finds one, and the scanners that look for such, what it is. */
const PREFIX = "applogs_"

export const KEY_OPTIONS = {
  apps: {
    kind: "text",
    value: "names",
    default: undefined,
    otherwise: "every app",
    help: "the apps that the key may see: `shop,blog-*`, with `*` for any text",
  },
} as const satisfies Options

/** Returns the exit code. Throws a UsageError; nothing of what may be a key is repeated in it. */
export function makeKey(argv: readonly string[], around: Surroundings): number {
  const { name, apps } = parseWords(argv, around)
  const { print, complain } = around
  const key = PREFIX + randomBytes(KEY_BYTES).toString("base64url")
  // Behind a line that has no end, as files have that were written by hand, an entry would not begin.
  print(`\n${formatKeyEntry({ name, hash: hashKey(key), ...(apps && { apps }) })}`)
  complain(`The key of ${name}, which is shown this once (only its hash is kept):\n${key}\n`)
  return 0
}

function parseWords(
  argv: readonly string[],
  { env, readFile }: Surroundings,
): { name: string; apps?: string[] } {
  const asking = { command: "key", options: KEY_OPTIONS }
  const { given, words } = collect(asking, argv, env, readFile)
  const [name, ...more] = words
  if (name === undefined || more.length > 0) {
    throw new UsageError("key", "one name is wanted: see applogs key --help")
  }
  if (!isKeyName(name)) throw new UsageError("key", NAME_WANTED)
  const list = given("apps")
  if (list === undefined) return { name }
  const apps = list.text.split(",").map((app) => app.trim())
  if (!apps.every(isPattern)) throw new UsageError(list.source, "names are wanted, as shop,blog-*")
  return { name, apps }
}
