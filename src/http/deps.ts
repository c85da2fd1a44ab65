/** All that the HTTP face knows of the rest of the house. */
import type { Directory } from "../apps/directory.ts"
import type { Observe } from "../observe.ts"
import type { LogService } from "../stream/service.ts"
import type { Limits } from "./places.ts"
import type { View } from "./view.ts"

export interface Deps {
  readonly directory: Directory
  readonly service: LogService
  readonly observe: Observe
  /** Looked at anew for each request: they may change. */
  readonly limits: Limits
  /** Aborts when the process is to end. The service then ends its streams; here it is why they end. */
  readonly shutdown: AbortSignal
  readonly version: string
}

/** What the routes know of it: the directory only as the request's key shows it. */
export interface RouteDeps extends Omit<Deps, "directory"> {
  readonly view: (request: Request) => View
}
