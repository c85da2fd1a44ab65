/** How many files this process may have open: each connection is one. */
import { readFileSync } from "node:fs"

/** What is left for log files, engines, listeners, and clients that come to be told that there is no room. */
const RESERVED = 64

/** So many streams may be open; at least one. `Infinity` where nobody knows. */
export function streamsThatFit(limits = "/proc/self/limits"): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(limits, "utf8"))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Number(soft) - RESERVED)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
