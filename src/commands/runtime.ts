/** The runtime that is served: the one asked for, or the first that answers. */
import { ENGINE_NAMES, loadPlugin } from "../../plugins/index.ts"
import type { Runtime, RuntimeOptions, RuntimePlugin } from "../runtime.ts"
import { firstLine, UsageError } from "../usage.ts"

/** What each runtime is given to answer, all at once, before the first is taken unheard. */
export const ANSWER_MS = 1_000

/** By a plugin's name or path, or `auto`. Throws a UsageError when there is no such plugin. */
export async function openRuntime(name: string, options: RuntimeOptions): Promise<Runtime> {
  const names = name === "auto" ? ENGINE_NAMES : [name]
  const plugins = await Promise.all(names.map(findPlugin))
  return chooseRuntime(plugins, options)
}

/**
 * The first, in the order given, that answers; the first of all when none does: it may come later, and
 * its absence is then said by what needs it. The others are closed.
 */
export async function chooseRuntime(
  plugins: readonly RuntimePlugin[],
  options: RuntimeOptions,
): Promise<Runtime> {
  const runtimes = plugins.map((plugin) => createRuntime(plugin, options))
  const [first, ...others] = runtimes
  if (first === undefined) throw new Error("there is no runtime to choose from")
  if (others.length === 0) return first
  const answers = await Promise.all(runtimes.map(isAnswering))
  const chosen = runtimes[answers.indexOf(true)] ?? first
  for (const runtime of runtimes) if (runtime !== chosen) await runtime[Symbol.asyncDispose]()
  return chosen
}

/** Throws a UsageError. */
export function createRuntime(plugin: RuntimePlugin, options: RuntimeOptions): Runtime {
  try {
    return plugin.create(options)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError("--runtime", `${plugin.name}: create() failed: ${firstLine(error)}`)
  }
}

async function isAnswering(runtime: Runtime): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const late = new Promise<false>((resolve) => {
    signal.addEventListener("abort", () => resolve(false))
  })
  const answer = runtime.ping(signal).then(
    () => true,
    () => false,
  )
  return Promise.race([answer, late])
}

/** Throws a UsageError when there is no such plugin. */
export async function findPlugin(name: string): Promise<RuntimePlugin> {
  try {
    return await loadPlugin(name)
  } catch (error) {
    throw new UsageError("--runtime", firstLine(error))
  }
}
