/** What stands beside a log that nerdctl writes: the lock of its logger, and when the container was started. */
import { readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Instant, parseRfc3339 } from "../src/time.ts"

/**
 * Whether the container's output is being stored: its logger, a process of nerdctl, holds the lock until all that
 * the container wrote is in the log. `undefined`: that cannot be told.
 */
export async function isLogging(logFile: string): Promise<boolean | undefined> {
  const lock = await stat(join(dirname(logFile), "logger-lock")).catch(() => undefined)
  const locks = await readFile("/proc/locks", "latin1").catch(() => undefined)
  if (!lock || locks === undefined) return undefined
  // The device is left out: what a file system calls itself there and in `stat` need not be the same.
  return new RegExp(`:${lock.ino} 0 EOF$`, "m").test(locks)
}

/** When the latest run began: all that stands in the log of the others was stored by then. */
export async function startedAt(logFile: string): Promise<Instant | undefined> {
  const file = join(dirname(logFile), "lifecycle.json")
  const said = await readFile(file, "latin1").catch(() => "")
  return parseRfc3339(/"started_at":"([^"]*)"/.exec(said)?.[1] ?? "")
}
