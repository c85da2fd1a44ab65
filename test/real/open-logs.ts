/** Which log files a process reads at this moment. */
import { constants, readdirSync, readFileSync, readlinkSync } from "node:fs"

/** How often the process has a container's log open for reading alone. */
export function openLogs(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => readsLog(pid, fd)).length
}

function readsLog(pid: number, fd: string): boolean {
  try {
    if (!/-json\.log|ctr\.log/.test(readlinkSync(`/proc/${pid}/fd/${fd}`))) return false
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"))?.[1]
    return (Number.parseInt(flags ?? "1", 8) & constants.O_WRONLY) === 0
  } catch {
    // Closed since it was listed.
    return false
  }
}
