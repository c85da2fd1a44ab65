/** Rings a bell when the kernel tells of a change in a directory. It may never tell: ask now and then, too. */
import { type FSWatcher, watch, type WatchEventType } from "node:fs"
import type { Bell } from "../bell.ts"

/** `rename`: a file has come or gone; `change`: it was written to. */
export function ringOn(
  events: readonly WatchEventType[],
  directory: string,
  bell: Bell,
): FSWatcher | undefined {
  try {
    const watcher = watch(directory, (event) => {
      if (events.includes(event)) bell.ring()
    })
    watcher.on("error", () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
