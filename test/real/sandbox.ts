/**
 * A throw-away directory for a private engine, and how everything that grew out of it is ended:
 * processes, mounts, control groups, files. What a killed test run left behind is swept by the next.
 */
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const PREFIX = "applogs-engine-"
const OWNER = "owner"
const CGROUPS = "/sys/fs/cgroup"

export interface Sandbox {
  readonly path: string
  /** Name of the control group, below every hierarchy's root, for all containers of this engine. */
  readonly cgroup: string
}

/** Where sandboxes may lie that a service with a /tmp of its own is to see. */
export const SEEN_BY_SERVICES = "/srv"

export interface Placed {
  /** The directory to put it in. Default: that for temporary files. */
  readonly parent?: string
}

/** Makes a sandbox that belongs to this process. Sweeps those whose process is gone. */
export async function openSandbox({ parent = tmpdir() }: Placed = {}): Promise<Sandbox> {
  await sweep()
  const sandbox = at(mkdtempSync(join(parent, PREFIX)))
  writeFileSync(join(sandbox.path, OWNER), identity(process.pid) ?? "")
  return sandbox
}

/**
 * Ends all that lives in the sandbox and deletes it. Processes are found by the sandbox's path in
 * their command line and by their parents, so that no engine of anybody else is ever touched.
 */
export async function closeSandbox(sandbox: Sandbox): Promise<void> {
  // A daemon may start another process while it is being looked for: again until none is left.
  await until(
    () => {
      const found = processesOf(sandbox)
      for (const pid of found) signalProcess(pid, "SIGKILL")
      return found.length === 0
    },
    { what: `the processes of ${sandbox.path} to end` },
  )
  await until(() => unmountAll(sandbox.path), { what: `${sandbox.path} to be unmounted` })
  for (const hierarchy of ["", ...namesIn(CGROUPS)]) {
    removeCgroup(join(CGROUPS, hierarchy, sandbox.cgroup))
  }
  for (const socket of shimSockets(sandbox)) rmSync(socket, { force: true })
  await until(() => removed(sandbox.path), { what: `${sandbox.path} to be deleted` })
}

/** Waits for a condition, asking every 10 ms. Throws when it does not come true in time. */
export async function until<T>(
  condition: () => T | false | Promise<T | false>,
  { what, timeoutMs = 30_000 }: { what: string; timeoutMs?: number },
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await condition()
    if (value !== false) return value
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await Bun.sleep(10)
  }
}

/** Sends a signal; false when there is no such process any more. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Whether a process lives; one that ended and was not waited for yet does not. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.[0]
  return state !== undefined && state !== "Z"
}

function at(path: string): Sandbox {
  return { path, cgroup: basename(path) }
}

/** Ends and deletes the sandboxes of test runs that did not end in good order. */
export async function sweep(): Promise<void> {
  const all = [tmpdir(), SEEN_BY_SERVICES].flatMap((parent) => {
    return namesIn(parent).map((name) => join(parent, name))
  })
  for (const path of all) {
    if (!basename(path).startsWith(PREFIX)) continue
    const sandbox = at(path)
    const owner = read(join(sandbox.path, OWNER))
    // Without an owner it is being made, or being deleted, right now.
    if (owner === undefined || owner === "") continue
    if (identity(Number(owner.split(" ")[0])) !== owner) await closeSandbox(sandbox)
  }
}

/** A process id with its start time: ids are used again. */
function identity(pid: number): string | undefined {
  const startTime = statOf(pid)?.[19]
  return startTime && `${pid} ${startTime}`
}

/** The fields of /proc/<pid>/stat from the third on (state, parent, …). */
function statOf(pid: number): string[] | undefined {
  const stat = read(`/proc/${pid}/stat`)
  // The second field, a name in parentheses, may hold anything.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Daemons and shims name the sandbox on their command line; containers are the shims' children. */
function processesOf(sandbox: Sandbox): number[] {
  const parents = new Map<number, number>()
  const found = new Set<number>()
  for (const name of namesIn("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const [state, parent] = statOf(pid) ?? []
    if (state === undefined || state === "Z") continue
    parents.set(pid, Number(parent))
    if (read(`/proc/${pid}/cmdline`)?.includes(sandbox.path)) found.add(pid)
  }
  for (const pid of parents.keys()) {
    for (let up: number | undefined = pid; up !== undefined; up = parents.get(up)) {
      if (found.has(up)) found.add(pid)
    }
  }
  return [...found]
}

/** Unmounts what it can, innermost first; true once nothing is mounted. */
function unmountAll(path: string): boolean {
  const mounts = (read("/proc/self/mountinfo") ?? "")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point.startsWith(`${path}/`))
  for (const point of mounts.toReversed()) {
    Bun.spawnSync(["umount", point], { stdout: "ignore", stderr: "ignore" })
  }
  return mounts.length === 0
}

/** Shims listen outside the sandbox, each at an address that is noted in its bundle. */
function shimSockets(sandbox: Sandbox): string[] {
  const namespaces = join(sandbox.path, "containerd-state/io.containerd.runtime.v2.task")
  const tasks = namesIn(namespaces).flatMap((name) =>
    namesIn(join(namespaces, name)).map((id) => join(namespaces, name, id)),
  )
  return tasks.flatMap((task) => {
    const address = ["address", "bootstrap.json"].map((name) => read(join(task, name)))
    return /\/run\/containerd\/s\/[0-9a-f]{64}/.exec(address.join("\n"))?.[0] ?? []
  })
}

/** Deletes a directory; false when somebody else, who deletes it too, was in the way. */
function removed(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

function removeCgroup(path: string): void {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) removeCgroup(join(path, entry.name))
    }
    rmdirSync(path)
  } catch {
    // It was not there, or the hierarchy is not one that a container was put in.
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
