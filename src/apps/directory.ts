/** The apps of the host, kept current while containers come and go. */
import type { Hint } from "../runtime.ts"
import type { Instant } from "../time.ts"
import type { App, Member } from "./app.ts"

export type Change =
  | {
      readonly type: "member"
      readonly member: Member
      readonly hint?: Hint
      readonly gone: boolean
      /** When its name was changed, if that was told. */
      readonly renamedAt?: Instant
      /** It has gone over to another app: told to the one as gone, and then to the other. */
      readonly moved?: true
    }
  | { readonly type: "runtime"; readonly up: boolean }

/** Read side of the directory; `runDirectory` feeds it. */
export interface Directory {
  /** Whether the runtime answers now. */
  readonly up: boolean
  /** Throws `runtime_unavailable` while there is no complete list yet. */
  apps(): readonly App[]
  app(id: string): App | undefined
  /** Makes sure that what exists now is known. Throws `runtime_unavailable`. */
  refresh(signal: AbortSignal): Promise<void>
  /** Calls back on every change until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void
}
