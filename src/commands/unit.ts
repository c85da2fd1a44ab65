/** `applogs unit`: prints a systemd unit for the options of `serve` that it is given. */
import { basename } from "node:path"
import { type Config, parseConfig } from "../config.ts"
import { collect, type Environment, type Given } from "../given.ts"
import { flagOf, OPTION_NAMES, type OptionName, OPTIONS } from "../options.ts"
import { quote, UsageError } from "../usage.ts"
import { openRuntime } from "./runtime.ts"
import { runtimeOptions } from "./runtime-options.ts"
import type { Surroundings } from "./surroundings.ts"
import { formatUnit, KEY_FILE } from "./unit-file.ts"

const INSTALLED = "/usr/local/bin/applogs"
const ANSWER_MS = 2_000

/** What the unit's sandbox hides from the service. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//

/** These may be a word instead of a path. */
const WORDS: readonly OptionName[] = ["runtime", "nerdctl", "localSocket"]

export async function unit(argv: readonly string[], around: Surroundings): Promise<number> {
  // What stands in this shell's environment, the service does not see.
  const env = { PATH: around.env["PATH"] }
  const config = parseConfig(argv, env, around.readFile)
  const { given } = collect({ command: "unit", options: OPTIONS }, argv, env, around.readFile)
  const runtime = config.runtime === "auto" ? await findRuntime(config, env) : config.runtime
  const flags = OPTION_NAMES.flatMap((name) => {
    const { text, source } = given(name) ?? {}
    if (text === undefined || source !== flagOf(name)) return []
    requireWhole(name, text)
    return name === "apiKeyFile" || name === "runtime" ? [] : [flagOf(name), text]
  })
  const own = basename(process.execPath) === basename(INSTALLED)
  const executable = own ? process.execPath : INSTALLED
  const command = [executable, "serve", "--runtime", runtime, ...flags]
  const hidden = command.find((word) => HIDDEN.test(word))
  if (hidden !== undefined) {
    around.complain(`applogs: the service will not see ${hidden}: put it elsewhere\n`)
  }
  const readsFiles = config.logSource !== "api"
  const keyFile = keyFileOf(given("apiKeyFile"))
  around.print(formatUnit({ runtime, readsFiles, command, keyFile, argv }))
  return 0
}

/** The engine that answers now. */
async function findRuntime(config: Config, env: Environment): Promise<string> {
  const runtime = await openRuntime("auto", runtimeOptions(config, env))
  try {
    await runtime.ping(AbortSignal.timeout(ANSWER_MS))
    return runtime.name
  } catch {
    throw new UsageError("--runtime", "no engine answers here: say which one the service is for")
  } finally {
    await runtime[Symbol.asyncDispose]()
  }
}

/** The service has another working directory. */
function requireWhole(name: OptionName, text: string): void {
  const path = text.replace(/^unix:\/\//, "")
  const isPath = OPTIONS[name].value === "path" || name === "runtime"
  if (!isPath || path.startsWith("/") || (WORDS.includes(name) && !path.includes("/"))) return
  throw new UsageError(flagOf(name), `a path from the root on is wanted, not ${quote(text)}`)
}

/** What the config file names, the service reads by itself, and reads again when it is reloaded. */
function keyFileOf(given: Given | undefined): string | undefined {
  if (!given) return KEY_FILE
  return given.source === flagOf("apiKeyFile") ? given.text : undefined
}
