/** What a runtime's plugin is told: of the options, and of the environment. */
import { existsSync } from "node:fs"
import type { Config } from "../config.ts"
import type { Environment } from "../given.ts"
import type { RuntimeOptions } from "../runtime.ts"

/** What is said to this process alone, and not to the programs that it runs. */
const OWN_VARIABLES = /^(APPLOGS_.*|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|WATCHDOG_(PID|USEC))$/

export function runtimeOptions(
  { engines, logSource, maxLineBytes }: Pick<Config, "engines" | "logSource" | "maxLineBytes">,
  env: Environment,
): RuntimeOptions {
  const { dockerSockets, podmanSockets, ...others } = engines
  const there = ([first, ...rest]: readonly [string, ...string[]]) =>
    [first, ...rest].find((path) => existsSync(path)) ?? first
  const inherited = Object.entries(env).filter(([name]) => !OWN_VARIABLES.test(name))
  return {
    ...others,
    dockerSocket: there(dockerSockets),
    podmanSocket: there(podmanSockets),
    logSource,
    maxLineBytes,
    env: Object.fromEntries(inherited) as Record<string, string>,
  }
}
