/** What the operator asked for, checked before anything is opened or bound. */
import { type Address, isLoopback, parseAddress } from "./address.ts"
import { type Engines, findEngines } from "./engines.ts"
import {
  choose,
  collect,
  type Environment,
  type Given,
  noSuchOption,
  type ReadFile,
  readGiven,
  readIfThere,
} from "./given.ts"
import type { Level } from "./logfmt.ts"
import { type Option, type OptionName, OPTIONS } from "./options.ts"
import type { LogSource } from "./runtime.ts"
import { localSocketPaths } from "./sockets.ts"
import { quote, UsageError } from "./usage.ts"

export interface Config {
  readonly runtime: string
  readonly engines: Engines
  readonly logSource: LogSource
  readonly listen: Address
  /** To be tried in this order; `undefined` when it is switched off. */
  readonly localSocket: { readonly paths: readonly string[]; readonly asked: boolean } | undefined
  readonly localListen: Address | undefined
  /** What is in each place that holds API keys, and its name. */
  readonly keys: readonly Given[]
  readonly tailMax: number
  readonly maxStreams: number
  readonly maxStreamsPerKey: number
  readonly maxSnapshots: number
  readonly maxLineBytes: number
  readonly headerSeconds: number
  readonly ringBytes: number
  readonly logLevel: Level
}

type OptionOf<Kind extends Option["kind"]> = Extract<Option, { kind: Kind }>

/** `argv` is what follows the command. Throws a UsageError. */
export function parseConfig(argv: readonly string[], env: Environment, readFile: ReadFile): Config {
  const asking = { command: "serve", options: OPTIONS }
  const { given, words } = collect(asking, argv, env, readFile)
  if (words[0] !== undefined) throw noSuchOption(asking.command, words[0])
  return { ...parseOptions(given, env), keys: collectKeys(given("apiKeyFile"), env, readFile) }
}

/** All that can be told without the files that hold keys. Throws a UsageError. */
export function parseOptions(
  given: (name: OptionName) => Given | undefined,
  env: Environment,
): Omit<Config, "keys"> {
  const runtime = given("runtime")?.text ?? OPTIONS.runtime.default
  return {
    runtime,
    engines: findEngines(given, env, runtime),
    logSource: choose(OPTIONS.logSource, given("logSource")),
    listen: parseListen(OPTIONS.listen, given("listen")),
    localSocket: localSocket(given("localSocket"), env),
    localListen: parseLoopback(OPTIONS.localListen, given("localListen")),
    tailMax: parseInteger(OPTIONS.tailMax, given("tailMax")),
    maxStreams: parseInteger(OPTIONS.maxStreams, given("maxStreams")),
    maxStreamsPerKey: parseInteger(OPTIONS.maxStreamsPerKey, given("maxStreamsPerKey")),
    maxSnapshots: parseInteger(OPTIONS.maxSnapshots, given("maxSnapshots")),
    maxLineBytes: parseInteger(OPTIONS.maxLineBytes, given("maxLineBytes")),
    headerSeconds: parseInteger(OPTIONS.headerSeconds, given("headerSeconds")),
    ringBytes: parseInteger(OPTIONS.ringBytes, given("ringBytes")),
    logLevel: choose(OPTIONS.logLevel, given("logLevel")),
  }
}

function parseInteger(
  { min, max, default: otherwise }: OptionOf<"integer">,
  given?: Given,
): number {
  if (!given) return otherwise
  const value = /^\d{1,15}$/.test(given.text) ? Number(given.text) : Number.NaN
  if (value >= min && value <= max) return value
  const wanted = `an integer from ${min} to ${max} is wanted`
  throw new UsageError(given.source, `${wanted}, not ${quote(given.text)}`)
}

function parseListen(option: OptionOf<"address">, given?: Given): Address {
  const text = given?.text ?? option.default
  const address = parseAddress(text)
  if (address) return address
  const wanted = "<host>:<port> is wanted, as 0.0.0.0:6020 or [::1]:6020"
  throw new UsageError(given?.source ?? "--listen", `${wanted}, not ${quote(text)}`)
}

function parseLoopback(option: OptionOf<"loopback">, given?: Given): Address | undefined {
  const text = given?.text ?? option.default
  if (text === "none") return undefined
  const address = parseAddress(text)
  if (address && isLoopback(address)) return address
  const wanted = "none, 127.0.0.1:<port>, [::1]:<port> or localhost:<port> is wanted"
  throw new UsageError(given?.source ?? "--local-listen", `${wanted}, not ${quote(text)}`)
}

function localSocket(given: Given | undefined, env: Environment): Config["localSocket"] {
  if (given) return given.text === "none" ? undefined : { paths: [given.text], asked: true }
  return { paths: localSocketPaths(env), asked: false }
}

/** All places count: a key can be replaced in one while another goes on. Throws a UsageError. */
export function collectKeys(
  file: Given | undefined,
  env: Environment,
  readFile: ReadFile,
): readonly Given[] {
  const places: Given[] = []
  if (file) places.push({ source: file.source, text: readGiven(file, readFile) })
  const key = env["APPLOGS_API_KEY"]
  if (key) places.push({ source: "APPLOGS_API_KEY", text: key })
  const directory = env["CREDENTIALS_DIRECTORY"]
  if (directory) {
    // The unit may have other credentials, and not this one; or an empty one, for want of a file to fill it.
    const credential = { source: "credential api-key", text: `${directory}/api-key` }
    const text = readIfThere(credential, readFile)
    if (text?.trim()) places.push({ source: credential.source, text })
  }
  return places
}
