/** All that the HTTP face knows of the rest of the house. */
import type { Directory } from "../apps/directory.ts"
import type { Observe } from "../observe.ts"
import type { LogService } from "../stream/service.ts"

export interface Deps {
  readonly directory: Directory
  readonly service: LogService
  readonly observe: Observe
  readonly limits: {
    /** Live streams that may be open at once. */
    readonly streams: number
    /** The most lines that `tail` may ask for by number. */
    readonly tail: number
  }
  /** Aborts when the process is to end. The service then ends its streams; here it is why they end. */
  readonly shutdown: AbortSignal
  readonly version: string
}
