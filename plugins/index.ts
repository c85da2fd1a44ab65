/** The runtimes that are built in, and the way in for those that are not. */
import { resolve } from "node:path"
import type { RuntimePlugin } from "../src/runtime.ts"

/** In the order in which `auto` asks them. Each is loaded only when it is wanted. */
const BUILT_IN = {
  docker: async () => (await import("./docker.ts")).plugin,
} as const satisfies Record<string, () => Promise<RuntimePlugin>>

export const PLUGIN_NAMES: readonly string[] = Object.keys(BUILT_IN)

/**
 * A plugin by its name, or from a file (`/…`, `./…`, `../…`), which exports it as `plugin`. Throws an Error that
 * says what is wrong.
 */
export async function loadPlugin(name: string): Promise<RuntimePlugin> {
  const builtIn = Object.entries(BUILT_IN).find(([each]) => each === name)
  if (builtIn) return builtIn[1]()
  if (/^\.{0,2}\//.test(name)) return (await import("./external.ts")).loadFile(resolve(name))
  const allowed = [...PLUGIN_NAMES, "the path of a plugin file (./mine.ts)"].join(", ")
  throw new Error(`there is no runtime ${JSON.stringify(name)}: one of ${allowed} is wanted`)
}
