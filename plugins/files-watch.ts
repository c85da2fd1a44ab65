/** Which logs come and go, as hints. */
import type { FSWatcher } from "node:fs"
import { join } from "node:path"
import { Bell } from "../src/bell.ts"
import { ringOn } from "../src/logfile/ring.ts"
import type { Hint } from "../src/runtime.ts"
import { now } from "../src/time.ts"
import { findApps, findLogs } from "./files-list.ts"

/** Where the kernel tells of no change, it is looked for so often. */
const POLL_MS = 2_000

type Running = ReadonlyMap<string, boolean>

export async function* watchLogs(
  root: string,
  ready: () => void,
  signal: AbortSignal,
): AsyncGenerator<Hint, void> {
  const bell = new Bell()
  const watchers = new Map<string, FSWatcher | undefined>()
  try {
    let before: Running | undefined
    while (!signal.aborted) {
      const seen = bell.count
      // Each is watched before it is looked at: what comes meanwhile rings.
      watchOnly(watchers, [root, ...watchers.keys()], bell)
      const apps = await findApps(root)
      watchOnly(watchers, [root, ...apps.map((app) => join(root, app))], bell)
      const after = await look(root, apps)
      if (before) yield* compare(before, after)
      else ready()
      before = after
      await bell.past(seen, POLL_MS, signal)
    }
  } finally {
    for (const watcher of watchers.values()) watcher?.close()
  }
}

function watchOnly(
  watchers: Map<string, FSWatcher | undefined>,
  directories: readonly string[],
  bell: Bell,
): void {
  for (const [directory, watcher] of watchers) {
    if (directories.includes(directory)) continue
    watcher?.close()
    watchers.delete(directory)
  }
  for (const directory of directories) {
    if (!watchers.has(directory)) watchers.set(directory, ringOn(["rename"], directory, bell))
  }
}

async function look(root: string, apps: readonly string[]): Promise<Running> {
  const running = new Map<string, boolean>()
  for (const app of apps) {
    for (const { id, isRunning } of await findLogs(root, app)) running.set(id, isRunning)
  }
  return running
}

function* compare(before: Running, after: Running): Generator<Hint> {
  const at = now()
  for (const [id, isRunning] of after) {
    const wasRunning = before.get(id)
    if (wasRunning === undefined) yield { id, change: "created", at }
    if (isRunning && wasRunning !== true) yield { id, change: "started", at }
    if (!isRunning && wasRunning === true) yield { id, change: "exited", at }
  }
  for (const id of before.keys()) if (!after.has(id)) yield { id, change: "removed", at }
}
