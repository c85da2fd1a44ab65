/** A container's log over Podman's API, as records. */
import { decodeBody, framesOf } from "../src/logapi/decode.ts"
import type { RecordRequest, RecordSource } from "../src/logapi/source.ts"
import { type Records, recordsOf } from "../src/records/block.ts"
import type { LineRules } from "../src/records/lines.ts"
import type { LogRecord } from "../src/records/record.ts"
import { shift, toUnixSeconds } from "../src/time.ts"
import type { Engine } from "./engine.ts"

/**
 * Podman's own follow cannot be trusted: where a container ends, it drops lines at random (podman#21914). Its
 * tail neither: it joins the parts of lines, those of both streams too, and each leaves a file open in Podman (seen
 * with 4.3). So the log is read again and again, from a time on or whole.
 */
export function podmanRecords(
  engine: Engine,
  id: string,
  rules: LineRules,
  running: RecordSource["running"],
): RecordSource {
  return {
    rules,
    repeats: false,
    polled: true,
    running,
    open(request: RecordRequest, signal: AbortSignal) {
      const records = readRecords(engine, id, request, signal)
      return request.tail === undefined ? records : lastOf(records, request.tail)
    },
  }
}

async function* readRecords(
  engine: Engine,
  id: string,
  request: RecordRequest,
  signal: AbortSignal,
): AsyncGenerator<Records, void> {
  const time = request.since ?? request.from
  const query = {
    stdout: "true",
    stderr: "true",
    timestamps: "true",
    // It is exclusive, and passes through a float, which may be off by a microsecond.
    ...(time !== undefined && { since: toUnixSeconds(shift(time, -1_000_000n)) }),
  }
  const endpoint = "/v4.0.0/libpod/containers/{id}/logs"
  const { body } = await engine.stream({ endpoint, id, query, signal })
  // Framed for a terminal too.
  yield* decodeBody(body, framesOf(request), signal)
}

/** The last so many, in bounded memory. */
async function* lastOf(
  all: AsyncIterable<Records>,
  count: number,
): AsyncGenerator<readonly LogRecord[], void> {
  let last: LogRecord[] = []
  const cut = () => last.slice(Math.max(0, last.length - count))
  for await (const records of all) {
    last.push(...recordsOf(records))
    if (last.length > 2 * count + 1_000) last = cut()
  }
  yield cut()
}

/** A part is what one read gave: of any size, and stamped by itself. */
export function lineRules(tty: boolean, limitBytes: number): LineRules {
  return { partsShareTime: false, crlf: tty, limitBytes }
}
