/** Which runtimes are on this host, why one cannot be used, and which one `serve` would take. */
import { existsSync, readFileSync } from "node:fs"
import { access, constants, stat } from "node:fs/promises"
import { ENGINE_NAMES } from "../../../plugins/index.ts"
import { describe } from "../../logfmt.ts"
import type { Runtime, RuntimeOptions, RuntimePlugin } from "../../runtime.ts"
import { ANSWER_MS, createRuntime, findPlugin } from "../runtime.ts"
import { fail, type Finding, Late, ok, warn, within } from "./finding.ts"

/** What the only one is given, which `serve` takes unheard. */
const PATIENCE_MS = 5_000

export interface Served {
  readonly runtime: Runtime
  readonly plugin: RuntimePlugin
}

type Answer = Served & ({ readonly version: string } | { readonly failure: unknown })

/** Returns what would be served, if it answers. Throws a UsageError when there is no such plugin. */
export async function* examineRuntimes(
  name: string,
  options: RuntimeOptions,
): AsyncGenerator<Finding, Served | undefined> {
  const isAuto = name === "auto"
  const plugins = await Promise.all((isAuto ? ENGINE_NAMES : [name]).map(findPlugin))
  const limit = isAuto ? ANSWER_MS : PATIENCE_MS
  const answers = await Promise.all(plugins.map((plugin) => ask(plugin, options, limit)))
  const served = answers.find((answer) => "version" in answer)
  const others = answers.filter((answer) => answer !== served)
  // What one says of its end changes nothing.
  await Promise.allSettled(others.map(({ runtime }) => runtime[Symbol.asyncDispose]()))
  for (const answer of answers) {
    const { runtime } = answer
    if ("failure" in answer) yield await explain(answer, options, served !== undefined)
    else yield ok(runtime.name, praise(answer, answer === served, isAuto))
  }
  return served
}

async function ask(plugin: RuntimePlugin, options: RuntimeOptions, ms: number): Promise<Answer> {
  const runtime = createRuntime(plugin, options)
  try {
    const { version } = await within(ms, (signal) => runtime.ping(signal))
    return { runtime, plugin, version }
  } catch (failure) {
    return { runtime, plugin, failure }
  }
}

function praise(
  { runtime, version }: Served & { version: string },
  isServed: boolean,
  isAuto: boolean,
) {
  if (!isServed) return `it answers too (${version}): --runtime ${runtime.name} serves it instead`
  return `it answers (${version})${isAuto ? ", and is the one that is served" : ""}`
}

/** Why one cannot be used; where another is served, it may just not be here. */
async function explain(
  { runtime, failure }: Served & { readonly failure: unknown },
  options: RuntimeOptions,
  isSpare: boolean,
): Promise<Finding> {
  const { name } = runtime
  if (isSpare && isAbsent(name, options)) return ok(name, "it is not on this host")
  const why = describeFailure(failure, name)
  const socket = { docker: options.dockerSocket, podman: options.podmanSocket }[name]
  const remedy =
    failure instanceof Late
      ? "it hangs, or is something else: see what it logs"
      : socket && (await rightTo(socket))
  return isSpare ? warn(name, why, remedy) : fail(name, why, remedy)
}

/** Without its name, which stands before it. Only what was thrown: its causes say it again. */
function describeFailure(failure: unknown, name: string): string {
  const words = failure instanceof Error ? failure.message : describe(failure)
  return words.startsWith(`${name}: `) ? words.slice(name.length + 2) : words
}

function isAbsent(name: string, options: RuntimeOptions): boolean {
  const { dockerSocket, podmanSocket, nerdctl, env } = options
  if (name === "nerdctl") return Bun.which(nerdctl, { PATH: env["PATH"] ?? "" }) === null
  return !existsSync(name === "docker" ? dockerSocket : podmanSocket)
}

/** Whose the socket is that this user may not use; empty if that is not what is wrong. */
async function rightTo(socket: string): Promise<string> {
  try {
    await access(socket, constants.R_OK | constants.W_OK)
    return ""
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "EACCES") return ""
  }
  // A directory on the way to it may be closed.
  const gid = await stat(socket).then(
    ({ gid: id }) => id,
    () => 0,
  )
  if (gid === 0) return "it is root's alone: run as root"
  const group = groupName(gid)
  return `it is the group ${group}'s: add the user to it (usermod -aG ${group} USER), or run as root`
}

function groupName(gid: number): string {
  try {
    const line = new RegExp(`^([^:]+):[^:]*:${gid}:`, "m")
    return line.exec(readFileSync("/etc/group", "utf8"))?.[1] ?? String(gid)
  } catch {
    return String(gid)
  }
}
