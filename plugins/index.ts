/** The runtimes that are built in, and the way in for those that are not. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { RUNTIME_API, type RuntimePlugin } from "../src/runtime.ts"

/** In the order in which `auto` asks them. Each is loaded only when it is wanted. */
const BUILT_IN = {
  docker: async () => (await import("./docker.ts")).plugin,
} as const satisfies Record<string, () => Promise<RuntimePlugin>>

export const PLUGIN_NAMES: readonly string[] = Object.keys(BUILT_IN)

/**
 * A plugin by its name, or from a file (`/…`, `./…`, `../…`), which exports it as `plugin`. What is in the
 * file runs in this process, with all its rights. Throws an Error that says what is wrong.
 */
export async function loadPlugin(name: string): Promise<RuntimePlugin> {
  const builtIn = Object.entries(BUILT_IN).find(([each]) => each === name)
  if (builtIn) return builtIn[1]()
  if (/^\.{0,2}\//.test(name)) return loadFile(resolve(name))
  const allowed = [...PLUGIN_NAMES, "the path of a plugin file (./mine.ts)"].join(", ")
  throw new Error(`there is no runtime ${JSON.stringify(name)}: one of ${allowed} is wanted`)
}

async function loadFile(path: string): Promise<RuntimePlugin> {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  let loaded: unknown
  try {
    loaded = await import(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${path} cannot be loaded: ${reason}`, { cause: error })
  }
  const plugin = isObject(loaded) ? loaded["plugin"] : undefined
  if (!isObject(plugin)) throw new Error(`${path} exports no "plugin"`)
  if (plugin["api"] !== RUNTIME_API) {
    const versions = `version ${String(plugin["api"])}, and this is version ${RUNTIME_API}`
    throw new Error(`${path} was written for another contract: it says ${versions}`)
  }
  if (!isPlugin(plugin)) throw new Error(`${path} exports a "plugin" without a name or create()`)
  return plugin
}

function isPlugin(value: object): value is RuntimePlugin {
  if (!("name" in value) || !("create" in value)) return false
  return typeof value.name === "string" && typeof value.create === "function"
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
