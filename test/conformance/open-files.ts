/** Which files this process holds open: for hosts of plugins that read files. */
import { readdirSync, readlinkSync } from "node:fs"

/** How many files below a directory are open. */
export function openFiles(directory: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => isBelow(directory, fd)).length
}

function isBelow(directory: string, fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${directory}/`)
  } catch {
    // Closed since it was listed.
    return false
  }
}
