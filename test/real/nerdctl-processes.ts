/** Finds the processes that nerdctl runs, and those that applogs runs of it. */
import { readdirSync, readFileSync } from "node:fs"

/** Whether the process that writes a container's log lives: it outlives the container for a moment. */
export function isLogged(id: string): boolean {
  return loggerOf(id) !== undefined
}

/** The process that writes a container's log. */
export function loggerOf(id: string): number | undefined {
  const pid = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8")
      if (!command.includes("_NERDCTL_INTERNAL_LOGGING")) return false
      return readFileSync(`/proc/${name}/environ`, "utf8").includes(`CONTAINER_ID=${id}`)
    } catch {
      // It ended just now.
      return false
    }
  })
  return pid === undefined ? undefined : Number(pid)
}

/** How many processes have that in their environment. */
export function processesWith(mark: string): number {
  const has = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark)
    } catch {
      return false
    }
  }
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && has(name)).length
}
