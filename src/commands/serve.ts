/** `applogs serve`: wires the two wings together, listens, and ends when it is asked to. */
import { access, constants, mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import { startDirectory } from "../apps/live.ts"
import type { Config } from "../config.ts"
import { createApp } from "../http/app.ts"
import { listen, type Listening } from "../http/listen.ts"
import type { Observe } from "../observe.ts"
import { createLogService } from "../stream/logs.ts"
import type { Runtime } from "../runtime.ts"
import { VERSION } from "../version.ts"
import { Manager } from "./manager.ts"
import { openRuntime } from "./runtime.ts"
import { runtimeOptions } from "./runtime-options.ts"
import { Settings } from "./settings.ts"
import type { Surroundings } from "./surroundings.ts"

/** What open streams get to end by themselves; with what follows it stays under five seconds. */
const DRAIN_MS = 3_500

/** What the runtime gets to let go of its connections. */
const CLOSE_MS = 1_000

const NO_KEY =
  'answers 503 until it has an API key: --api-key-file, APPLOGS_API_KEY, or the credential "api-key"'

/**
 * Resolves with the exit code once it was asked to end. Throws when it cannot begin. The configuration is read when it
 * begins, and whenever it is asked to reload.
 */
export async function serve(readConfig: () => Config, around: Surroundings): Promise<number> {
  const { print, complain, signal: shutdown } = around
  const config = readConfig()
  const settings = new Settings(config, complain)
  const { keys, limits, observe } = settings
  // From the beginning: whoever does not listen for it is ended by it.
  around.onReload(() => settings.reload(readConfig))
  const runtime = await openRuntime(config.runtime, runtimeOptions(config, around.env))
  const closing = new AbortController()
  try {
    const directory = startDirectory(runtime, { signal: closing.signal, observe })
    const { ringBytes } = config
    const service = createLogService({ runtime, directory, observe, ringBytes, shutdown })
    observe.limits({ line_bytes: config.maxLineBytes, ring_bytes: ringBytes })
    const app = createApp({ directory, service, observe, limits, shutdown, version: VERSION })
    const socket = config.localSocket && (await findSocket(config.localSocket))
    const listening = await listen({
      app,
      keys,
      observe,
      api: config.listen,
      headerSeconds: config.headerSeconds,
      ...(socket !== undefined && { socket }),
      ...(config.localListen && { loopback: config.localListen }),
    })
    print(describeListeners(listening, keys.size > 0, config))
    observe.log("info", "started", { version: VERSION, runtime: runtime.name })
    const status = () => {
      const engine = `${runtime.name} ${directory.up ? "answers" : "does not answer"}`
      return `${engine}; streams: ${observe.streams}${keys.size > 0 ? "" : "; no API key"}`
    }
    using manager = new Manager({ env: around.env, observe, status })
    manager.ready()

    await aborted(shutdown)
    manager.stopping()
    observe.log("info", "stopping")
    await listening.stop(DRAIN_MS)
  } finally {
    closing.abort()
    await Promise.race([close(runtime, observe), Bun.sleep(CLOSE_MS)])
  }
  observe.log("info", "stopped")
  return 0
}

/** What a runtime says of its end is told, and changes nothing any more. */
async function close(runtime: Runtime, observe: Observe): Promise<void> {
  try {
    await runtime[Symbol.asyncDispose]()
  } catch (reason) {
    observe.log("warn", "runtime not closed", { runtime: runtime.name, reason })
  }
}

/** One line each: where, and for whom. */
function describeListeners(listening: Listening, hasKey: boolean, { localSocket }: Config): string {
  const { api, socket, loopback } = listening
  const lines = [`API: ${api.origin} ${hasKey ? "asks for an API key" : NO_KEY}`]
  if (socket !== undefined) lines.push(`local: ${socket} asks for no key (mode 0660)`)
  else if (localSocket)
    lines.push(`local: no socket, ${localSocket.paths.join(" and ")} cannot be made`)
  if (loopback) lines.push(`local: ${loopback.origin} asks for no key`)
  return `${lines.join("\n")}\n`
}

/** The first path that can be used. One that was asked for is it, and fails when it is opened. */
async function findSocket({
  paths,
  asked,
}: NonNullable<Config["localSocket"]>): Promise<string | undefined> {
  for (const path of paths) {
    if (asked) return path
    try {
      await mkdir(dirname(path), { recursive: true })
      await access(dirname(path), constants.W_OK)
      return path
    } catch {
      // Not by this user: the next.
    }
  }
  return undefined
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
