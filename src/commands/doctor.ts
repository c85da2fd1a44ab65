/** `applogs doctor`: what would stop this host from serving, or what is between here and a service; a line each. */
import { endWell, handOver } from "../client/ending.ts"
import { welcomesColor } from "../client/print.ts"
import { findWhere } from "../client/where.ts"
import { parseOptions } from "../config.ts"
import { disarm } from "../disarm.ts"
import { collect, noSuchOption } from "../given.ts"
import { flagOf, OPTION_NAMES } from "../options.ts"
import { UsageError } from "../usage.ts"
import { examineHost } from "./doctor/host.ts"
import type { Finding } from "./doctor/finding.ts"
import { DOCTOR_OPTIONS } from "./doctor/options.ts"
import { examineWay } from "./doctor/way.ts"
import type { Surroundings } from "./surroundings.ts"

/** Throws a UsageError. */
export async function doctor(argv: readonly string[], around: Surroundings): Promise<number> {
  const findings = choose(argv, around)
  const isColored = welcomesColor(around.env, around.isTerminal)
  let failed = false
  const exit = await endWell(around, async () => {
    for await (const finding of findings) {
      around.signal.throwIfAborted()
      failed ||= finding.level === "fail"
      await handOver(around, format(finding, isColored))
    }
  })
  return exit === 0 && failed ? 1 : exit
}

/** A flag that is of this host, and one that is of another place, are not both meant. */
function choose(argv: readonly string[], around: Surroundings): AsyncIterable<Finding> {
  const { env, readFile, signal } = around
  const asking = { command: "doctor", options: DOCTOR_OPTIONS }
  const { given, words } = collect(asking, argv, env, readFile)
  if (words[0] !== undefined) throw noSuchOption(asking.command, words[0])
  const ofHost = OPTION_NAMES.find(
    (name) => name !== "apiKeyFile" && given(name)?.source === flagOf(name),
  )
  const url = given("url")
  if (url?.source === "--url" && ofHost !== undefined) {
    throw new UsageError(flagOf(ofHost), "it is of this host, and --url looks at another place")
  }
  if (url && ofHost === undefined) {
    const where = findWhere(
      (name) => (name === "localSocket" ? undefined : given(name)),
      env,
      readFile,
    )
    return examineWay(where, signal)
  }
  return examineHost(parseOptions(given, env), given("apiKeyFile"), around)
}

/** Green, yellow, red. */
const COLORS = { ok: 32, warn: 33, fail: 31 } as const

/** One line, whatever names and messages of others are in it. */
function format({ level, what, found, remedy }: Finding, isColored: boolean): string {
  const word = isColored ? `\x1b[${COLORS[level]}m${level}\x1b[0m` : level
  const words = [what, found, remedy].filter((part) => part !== "").join(": ")
  return `${word}${" ".repeat(6 - level.length)}${disarm(words)}\n`
}
