/** Where the values of options come from: a flag wins over the environment, which wins over the file. */
import { flagOf, keyOf, OPTION_NAMES, type OptionName, OPTIONS, variableOf } from "./options.ts"
import { firstLine, quote, UsageError } from "./usage.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns a file's text; throws when it cannot be read. */
export type ReadFile = (path: string) => string

/** A value as it was written, and where. */
export interface Given {
  readonly source: string
  readonly text: string
}

/** `argv` is what follows the command. Throws a UsageError. */
export function collect(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): (name: OptionName) => Given | undefined {
  const flags = fromFlags(argv)
  const variables = fromEnvironment(env)
  const path = flags.get("config") ?? variables.get("config")
  const file = path ? fromFile(path, readFile) : undefined
  return (name) => flags.get(name) ?? variables.get(name) ?? file?.get(name)
}

/** The text of a file that an option names. Throws a UsageError. */
export function readGiven(path: Given, readFile: ReadFile): string {
  const text = readIfThere(path, readFile)
  if (text === undefined) throw new UsageError(path.source, `there is no file ${quote(path.text)}`)
  return text
}

/** `undefined` when there is no such file. Throws a UsageError for one that cannot be read. */
export function readIfThere(path: Given, readFile: ReadFile): string | undefined {
  try {
    return readFile(path.text)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw new UsageError(path.source, `a readable file is wanted: ${firstLine(error)}`)
  }
}

/** `--flag value` or `--flag=value`. Every flag takes a value, and is given once. */
function fromFlags(argv: readonly string[]): Map<OptionName, Given> {
  const found = new Map<OptionName, Given>()
  const words = argv.values()
  for (const word of words) {
    const equals = word.startsWith("--") ? word.indexOf("=") : -1
    const flag = equals < 0 ? word : word.slice(0, equals)
    const name = OPTION_NAMES.find((each) => flagOf(each) === flag)
    if (name === undefined) {
      throw new UsageError(quote(flag), "no such option: see applogs serve --help")
    }
    if (found.has(name)) throw new UsageError(flag, "it may be given only once")
    const text = equals < 0 ? (words.next().value ?? "") : word.slice(equals + 1)
    // A flag in a value's place is a value that was forgotten.
    if (text === "" || (equals < 0 && text.startsWith("--"))) {
      throw new UsageError(flag, `a value is wanted: ${flag} <${OPTIONS[name].value}>`)
    }
    found.set(name, { source: flag, text })
  }
  return found
}

/** An empty variable is none, as in a unit file that leaves it open. */
function fromEnvironment(env: Environment): Map<OptionName, Given> {
  const found = new Map<OptionName, Given>()
  for (const name of OPTION_NAMES) {
    const text = env[variableOf(name)]
    if (text) found.set(name, { source: variableOf(name), text })
  }
  return found
}

function fromFile(path: Given, readFile: ReadFile): Map<OptionName, Given> {
  const found = new Map<OptionName, Given>()
  for (const [key, value] of Object.entries(parseToml(path, readFile))) {
    const source = `${path.text}: ${quote(key)}`
    const name = OPTION_NAMES.find((each) => keyOf(each) === key && each !== "config")
    if (name === undefined) throw new UsageError(source, "no such option")
    if ((typeof value !== "string" && typeof value !== "number") || value === "") {
      throw new UsageError(source, "a text or a number is wanted")
    }
    found.set(name, { source, text: String(value) })
  }
  return found
}

function parseToml(path: Given, readFile: ReadFile): object {
  const text = readGiven(path, readFile)
  try {
    return Bun.TOML.parse(text)
  } catch (error) {
    throw new UsageError(path.text, `TOML is wanted: ${firstLine(error)}`)
  }
}
