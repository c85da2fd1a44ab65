/** Where a container's log is read: from its file where that is allowed and can be done, else through the API. */
import { obstacleOf } from "../src/logfile/readable.ts"
import type { LogSource } from "../src/runtime.ts"

/** The log file of this path, or the API; or it is not to be had as was asked for. */
export type LogPlace = { readonly file: string } | "api" | "none"

/** `path`: of a log file that may be opened; `undefined` where there is none. */
export async function locateLog(source: LogSource, path: string | undefined): Promise<LogPlace> {
  if (source === "api") return "api"
  const isForced = source === "file"
  if (path !== undefined) {
    const obstacle = await obstacleOf(path)
    // A file that is not there may be elsewhere for the engine; or its container is gone.
    if (obstacle === undefined || (isForced && obstacle === "ENOENT")) return { file: path }
  }
  return isForced ? "none" : "api"
}
