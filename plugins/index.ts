/** The runtimes that are built in, and the way in for those that are not. */
import { resolve } from "node:path"
import type { RuntimePlugin } from "../src/runtime.ts"

/** In the order in which `auto` asks them. Each is loaded only when it is wanted. */
const BUILT_IN = {
  docker: async () => (await import("./docker.ts")).plugin,
  podman: async () => (await import("./podman.ts")).plugin,
  nerdctl: async () => (await import("./nerdctl.ts")).plugin,
} as const satisfies Record<string, () => Promise<RuntimePlugin>>

/** No engine, so that `auto` does not ask it. */
const ASKED_FOR = {
  files: async () => (await import("./files.ts")).plugin,
} as const satisfies Record<string, () => Promise<RuntimePlugin>>

export const ENGINE_NAMES: readonly string[] = Object.keys(BUILT_IN)

export const PLUGIN_NAMES: readonly string[] = [...ENGINE_NAMES, ...Object.keys(ASKED_FOR)]

/**
 * A plugin by its name, or from a file (`/…`, `./…`, `../…`), which exports it as `plugin`. Throws an Error that
 * says what is wrong.
 */
export async function loadPlugin(name: string): Promise<RuntimePlugin> {
  const builtIn = Object.entries({ ...BUILT_IN, ...ASKED_FOR }).find(([each]) => each === name)
  if (builtIn) return builtIn[1]()
  if (/^\.{0,2}\//.test(name)) return (await import("./external.ts")).loadFile(resolve(name))
  const allowed = [...PLUGIN_NAMES, "the path of a plugin file (./mine.ts)"].join(", ")
  throw new Error(`there is no runtime ${JSON.stringify(name)}: one of ${allowed} is wanted`)
}
