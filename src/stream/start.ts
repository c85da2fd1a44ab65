import type { Container, Start } from "../runtime.ts"
import type { Instant } from "../time.ts"

/** Where to begin in the log of a container of which no position is known, for whoever wants what came since then. */
export function startOf({ createdAt }: Container, since: Instant): Start {
  return createdAt >= since ? { from: "beginning" } : { from: "time", after: since }
}
