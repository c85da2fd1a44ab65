/** A container's log over Podman's API, as records. */
import { readChunks } from "../src/logapi/chunks.ts"
import type { RecordRequest, RecordSource } from "../src/logapi/source.ts"
import { FrameDecoder } from "../src/records/frames.ts"
import type { LineRules } from "../src/records/lines.ts"
import type { LogRecord } from "../src/records/record.ts"
import { shift, toUnixSeconds } from "../src/time.ts"
import type { Engine } from "./engine.ts"

/** Longer lines are handed over in pieces. */
const LINE_LIMIT = 1_048_576

/**
 * Podman's own follow cannot be trusted: where it ends, lines are dropped at random (podman#21914), and where it
 * begins at a tail, those between the two are lost. So the log is read again and again.
 */
export function podmanRecords(
  engine: Engine,
  id: string,
  tty: boolean,
  running: RecordSource["running"],
): RecordSource {
  return {
    rules: lineRules(tty),
    repeats: false,
    polled: true,
    running,
    async *open(request: RecordRequest, signal: AbortSignal) {
      const endpoint = "/v4.0.0/libpod/containers/{id}/logs"
      const { body } = await engine.stream({ endpoint, id, query: toQuery(request), signal })
      // Framed for a terminal too.
      const decoder = new FrameDecoder()
      for await (const bytes of readChunks(body, signal)) {
        const records: LogRecord[] = []
        decoder.push(bytes, records)
        if (records.length > 0) yield records
      }
      if (!signal.aborted) decoder.end()
    },
  }
}

/** A part is what one read gave: of any size, and stamped by itself. */
export function lineRules(tty: boolean): LineRules {
  return { partsShareTime: false, crlf: tty, limitBytes: LINE_LIMIT }
}

/** Podman drops every record that is not later than `since`, wherever it stands; `from` may not leave out those. */
function toQuery({ tail, since }: RecordRequest): Record<string, string> {
  return {
    stdout: "true",
    stderr: "true",
    timestamps: "true",
    ...(tail !== undefined && { tail: String(tail) }),
    // Its numbers pass through a float, which may be off by a microsecond.
    ...(since !== undefined && { since: toUnixSeconds(shift(since, -1_000_000n)) }),
  }
}
