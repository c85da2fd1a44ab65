/** All that the HTTP face knows of the rest of the house. */
import type { Directory } from "../apps/directory.ts"
import type { Observe } from "../observe.ts"
import type { LogService } from "../stream/service.ts"
import type { Limits } from "./places.ts"

export interface Deps {
  readonly directory: Directory
  readonly service: LogService
  readonly observe: Observe
  readonly limits: Limits
  /** Aborts when the process is to end. The service then ends its streams; here it is why they end. */
  readonly shutdown: AbortSignal
  readonly version: string
}
