/** The addresses and the socket that `serve` would listen on: free, or who has them. */
import { access, constants, lstat, stat } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname } from "node:path"
import type { Address } from "../../address.ts"
import type { Config } from "../../config.ts"
import { describe } from "../../logfmt.ts"
import { fail, type Finding, ok, warn, within } from "./finding.ts"

const ANSWER_MS = 1_000

const SERVED = "an applogs answers there already"

const TAKEN = "another program listens there"

export async function* examineAddresses({
  listen,
  localListen,
}: Pick<Config, "listen" | "localListen">): AsyncGenerator<Finding, void> {
  yield await examineAddress("--listen", listen)
  if (localListen) yield await examineAddress("--local-listen", localListen)
}

async function examineAddress(flag: string, address: Address): Promise<Finding> {
  const { hostname, port } = address
  const host = hostname.includes(":") ? `[${hostname}]` : hostname
  const what = `${flag} ${host}:${port}`
  const error = await bind(address)
  if (error === undefined) return ok(what, port === 0 ? "any port that is free" : "it is free")
  switch (error.code) {
    case "EADDRINUSE": {
      const near = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" }[host] ?? host
      if (await isApplogs(`http://${near}:${port}`)) return ok(what, SERVED)
      return fail(
        what,
        TAKEN,
        `end it (ss -ltnp 'sport = :${port}' names it), or choose another port`,
      )
    }
    case "EACCES":
      return fail(what, "this user may not listen there", "choose a port from 1024 on")
    case "EADDRNOTAVAIL":
      return fail(what, "this host has no such address", "ip address lists those that it has")
    default:
      return fail(what, describe(error), "name an address of this host")
  }
}

/** Listens for a moment; what stands against it. */
function bind({ hostname: host, port }: Address): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", resolve)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** As `serve`: the first place that can be used, or the one that was asked for and no other. */
export async function* examineSocket(socket: Config["localSocket"]): AsyncGenerator<Finding, void> {
  if (!socket) {
    yield ok("local socket", "it is switched off")
    return
  }
  const obstacles: string[] = []
  for (const path of socket.paths) {
    const found = await examinePath(path)
    if (found.level === "ok" || socket.asked) {
      yield found
      return
    }
    obstacles.push(`${found.what}: ${found.found}`)
  }
  const remedy = "run as root, or name a place: --local-socket"
  yield warn("local socket", `there will be none (${obstacles.join("; ")})`, remedy)
}

async function examinePath(path: string): Promise<Finding> {
  const what = `--local-socket ${path}`
  const file = await lstat(path).catch(() => undefined)
  if (file && !file.isSocket())
    return fail(what, "there is a file with this name, and it is no socket", "name another place")
  if (file && (await isApplogs("http://localhost", path))) return ok(what, SERVED)
  if (file && (await isTaken(path))) return fail(what, TAKEN, "end it, or name another place")
  const directory = await nearest(dirname(path))
  if (!(await stat(directory)).isDirectory()) {
    return fail(what, `${directory} is no directory`, "name another place")
  }
  try {
    await access(directory, constants.W_OK | constants.X_OK)
    return ok(what, "it can be made")
  } catch {
    return fail(what, `this user may not write to ${directory}`, "name a place where it may")
  }
}

/** The directory, or the one in which it would be made. */
async function nearest(directory: string): Promise<string> {
  const there = await stat(directory).catch(() => undefined)
  return there || dirname(directory) === directory ? directory : nearest(dirname(directory))
}

/** Every listener of applogs answers this so, with a key or without. */
async function isApplogs(origin: string, unix?: string): Promise<boolean> {
  try {
    const problem = await within(ANSWER_MS, async (signal) => {
      const asked = { signal, redirect: "manual", ...(unix !== undefined && { unix }) } as const
      return (await (await fetch(`${origin}/api/doctor`, asked)).json()) as {
        type?: unknown
      } | null
    })
    return String(problem?.type).startsWith("urn:applogs:problem:")
  } catch {
    return false
  }
}

async function isTaken(unix: string): Promise<boolean> {
  try {
    const connection = await Bun.connect({ unix, socket: { data() {} } })
    connection.end()
    return true
  } catch {
    return false
  }
}
