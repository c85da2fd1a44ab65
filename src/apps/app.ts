/** Apps: what the host's containers are grouped into. */
import type { Container } from "../runtime.ts"

/** A container, and the place it has in its app. */
export interface Member {
  readonly container: Container
  readonly app: string
  readonly service: string
  /** The kind of a needs service (`postgres`, `redis`, …); absent for the app's own services. */
  readonly needs?: string
}

export interface App {
  readonly id: string
  /** In a stable order: by service, then by the container's creation. */
  readonly members: readonly Member[]
}
