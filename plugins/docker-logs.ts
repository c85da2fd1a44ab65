/** A container's log over the Engine's API, as records. */
import { decodeBody, framesOf, ttyOf } from "../src/logapi/decode.ts"
import type { RecordRequest, RecordSource } from "../src/logapi/source.ts"
import type { LineRules } from "../src/records/lines.ts"
import { toUnixSeconds } from "../src/time.ts"
import type { Engine } from "./engine.ts"

/** The Engine cuts lines at 16 KiB. */
const PART_BYTES = 16_384

export function dockerRecords(
  engine: Engine,
  id: string,
  rules: LineRules,
  api: string,
  running: () => Promise<boolean>,
): RecordSource {
  return {
    rules,
    repeats: !isSticky(api),
    running,
    async *open(request: RecordRequest, signal: AbortSignal) {
      const query = toQuery(request, isSticky(api))
      const { body } = await engine.stream({ endpoint: "/containers/{id}/logs", id, query, signal })
      yield* decodeBody(body, rules.crlf ? ttyOf() : framesOf(request), signal)
    },
  }
}

/** The same for the file as for the API, which only passes on what it holds. */
export function lineRules(tty: boolean, limitBytes: number): LineRules {
  return { partBytes: PART_BYTES, partsShareTime: true, crlf: tty, limitBytes }
}

/** Always both streams: the tail and the order of records are those of both. */
function toQuery(request: RecordRequest, sticky: boolean): Record<string, string> {
  const { tail, follow } = request
  const since = request.since ?? (sticky ? request.from : undefined)
  return {
    stdout: "1",
    stderr: "1",
    timestamps: "1",
    ...(follow && { follow: "1" }),
    ...(tail !== undefined && { tail: String(tail) }),
    ...(since !== undefined && { since: toUnixSeconds(since) }),
  }
}

/**
 * Since API 1.43 (Engine 24) `since` finds the first record to send. Before, it drops every older one, wherever it
 * stands: the rest of a line that began earlier, and what is written after the clock has stepped back.
 */
function isSticky(api: string): boolean {
  const [major = 0, minor = 0] = api.split(".").map(Number)
  return major > 1 || minor >= 43
}
