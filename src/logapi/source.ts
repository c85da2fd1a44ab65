/** What a plugin provides so that a runtime's log API can be read exactly once: records on request. */
import type { LineRules } from "../records/lines.ts"
import type { Records } from "../records/block.ts"
import type { Instant } from "../time.ts"

export interface RecordRequest {
  /** The last so many records of both streams; absent: all. */
  readonly tail?: number
  /** From the first record of this time or later, or from before it: all that the log holds from there. */
  readonly from?: Instant
  /** Records of this time or later. Older ones that stand behind them may be left out. */
  readonly since?: Instant
  readonly follow: boolean
}

export interface RecordSource {
  readonly rules: LineRules
  /** Whether a follow may lose its way at a rotation: send again what it has sent, or pass over what it has not. */
  readonly repeats: boolean
  /** It cannot be followed, nor read backwards: who follows asks it again and again what there is since a time. */
  readonly polled?: true
  /**
   * Records of both streams in the runtime's order, many at a time, a damaged one at their head. Throws
   * `LogReadError` when the runtime says that it cannot read on, and `Failure` `runtime_unavailable` when the
   * connection breaks.
   */
  open(request: RecordRequest, signal: AbortSignal): AsyncIterable<Records>
  /** Whether the container runs. False when it is gone. */
  running(signal: AbortSignal): Promise<boolean>
}
