/** The log service: what the HTTP face is handed. */
import type { App } from "../apps/app.ts"
import type { Directory } from "../apps/directory.ts"
import type { Observe } from "../observe.ts"
import { countLines, type LogReader } from "./counted.ts"
import type { LogQuery } from "./query.ts"
import type { LogService } from "./service.ts"
import { Session } from "./session.ts"
import { takeSnapshot } from "./snapshot.ts"

export interface LogServiceOptions {
  readonly runtime: LogReader
  readonly directory: Directory
  readonly observe: Observe
  /** Aborted when the service stops. */
  readonly shutdown: AbortSignal
}

export function createLogService(options: LogServiceOptions): LogService {
  const runtime = countLines(options.runtime, options.observe)
  return {
    snapshot: (app: App, query: LogQuery, signal) => takeSnapshot(runtime, app, query, signal),
    stream: ({ id }, query, signal) =>
      new Session({ ...options, runtime, app: id, query, signal }).run(),
  }
}
