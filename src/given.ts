/** Where the values of options come from: a flag wins over the environment, which wins over the file. */
import { flagOf, keyOf, type Options, usageOf, variableOf } from "./options.ts"
import { firstLine, quote, UsageError } from "./usage.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns a file's text; throws when it cannot be read. */
export type ReadFile = (path: string) => string

/** A value as it was written, and where. */
export interface Given {
  readonly source: string
  readonly text: string
}

/** What a command was asked. */
export interface Asked<Name extends string> {
  readonly given: (name: Name) => Given | undefined
  /** What stands between the flags. */
  readonly words: readonly string[]
}

/** A command with options, by the name that its help has. */
export interface Asking<Name extends string> {
  readonly command: string
  readonly options: Options & Readonly<Record<Name, unknown>>
}

/** `argv` is what follows the command. Throws a UsageError. */
export function collect<Name extends string>(
  { command, options }: Asking<Name>,
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): Asked<Name> {
  const { flags, words } = fromFlags(command, options, argv)
  const variables = fromEnvironment(options, env)
  const path = flags.get("config") ?? variables.get("config")
  const file = path ? fromFile(options, path, readFile) : undefined
  return { given: (name) => flags.get(name) ?? variables.get(name) ?? file?.get(name), words }
}

export function noSuchOption(command: string, word: string): UsageError {
  return new UsageError(quote(word), `no such option: see applogs ${command} --help`)
}

/** One of the words that an option allows; its default if nothing was given. Throws a UsageError. */
export function choose<Value extends string>(
  option: { readonly values: readonly Value[]; readonly default: Value },
  given?: Given,
): Value {
  if (!given) return option.default
  const value = option.values.find((each) => each === given.text)
  if (value !== undefined) return value
  const wanted = `one of ${option.values.join(", ")} is wanted`
  throw new UsageError(given.source, `${wanted}, not ${quote(given.text)}`)
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

/** `--flag value` or `--flag=value`; a switch stands alone. Each is given once. */
function fromFlags(command: string, options: Options, argv: readonly string[]) {
  const flags = new Map<string, Given>()
  const others: string[] = []
  const words = argv.values()
  for (const word of words) {
    if (!word.startsWith("-")) {
      others.push(word)
      continue
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1
    const flag = equals < 0 ? word : word.slice(0, equals)
    const [name, option] = Object.entries(options).find(([each]) => flagOf(each) === flag) ?? []
    if (name === undefined || option === undefined) throw noSuchOption(command, flag)
    if (flags.has(name)) throw new UsageError(flag, "it may be given only once")
    const alone = option.kind === "switch" && equals < 0
    const text = alone ? "on" : equals < 0 ? (words.next().value ?? "") : word.slice(equals + 1)
    // A flag in a value's place is a value that was forgotten.
    if (text === "" || (equals < 0 && text.startsWith("--"))) {
      throw new UsageError(flag, `a value is wanted: ${usageOf(name, option)}`)
    }
    flags.set(name, { source: flag, text })
  }
  return { flags, words: others }
}

/** An empty variable is none, as in a unit file that leaves it open. */
function fromEnvironment(options: Options, env: Environment): Map<string, Given> {
  const found = new Map<string, Given>()
  for (const name of Object.keys(options)) {
    const text = env[variableOf(name)]
    if (text) found.set(name, { source: variableOf(name), text })
  }
  return found
}

function fromFile(options: Options, path: Given, readFile: ReadFile): Map<string, Given> {
  const found = new Map<string, Given>()
  for (const [key, value] of Object.entries(parseToml(path, readFile))) {
    const source = `${path.text}: ${quote(key)}`
    const name = Object.keys(options).find((each) => keyOf(each) === key && each !== "config")
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
