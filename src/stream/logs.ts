/** The log service: what the HTTP face is handed. */
import type { App } from "../apps/app.ts"
import type { Directory } from "../apps/directory.ts"
import type { Observe } from "../observe.ts"
import type { Runtime } from "../runtime.ts"
import type { LogQuery } from "./query.ts"
import type { LogService } from "./service.ts"
import { Session } from "./session.ts"
import { takeSnapshot } from "./snapshot.ts"

export interface LogServiceOptions {
  readonly runtime: Runtime
  readonly directory: Directory
  readonly observe: Observe
  /** Aborted when the service stops. */
  readonly shutdown: AbortSignal
}

export function createLogService(options: LogServiceOptions): LogService {
  return {
    snapshot: (app: App, query: LogQuery, signal) =>
      takeSnapshot(options.runtime, app, query, signal),
    stream: ({ id }, query, signal) => new Session({ ...options, app: id, query, signal }).run(),
  }
}
