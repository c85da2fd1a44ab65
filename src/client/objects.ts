/** NDJSON as it arrives: a LogLine a line, and each other event as an object that has a field `event`. */
import type { LinkedAbort } from "../abort.ts"
import { firstLine } from "../usage.ts"
import { ClientFailure } from "./ending.ts"

export const NDJSON_TYPE = "application/x-ndjson"

export interface LogLine {
  readonly event?: never
  readonly service: string
  readonly stream: string
  readonly timestamp: string
  readonly message: string
  readonly isNeeds: boolean
  readonly partial?: true
  /** The position behind it, where it was asked for. */
  readonly cursor?: string
}

type About = { readonly cursor?: string | null }

export type StreamEvent = About &
  (
    | {
        readonly event: "status"
        readonly service: string | null
        readonly state: string
        readonly exitCode?: number
      }
    | {
        readonly event: "gap"
        readonly service: string | null
        readonly reason: string
        readonly from: string | null
        readonly to: string | null
      }
    | { readonly event: "ping" }
    | { readonly event: "problem"; readonly detail: string }
    | { readonly event: "end"; readonly reason: string; readonly retryable: boolean }
  )

/** Reads on only when it is asked to. Batches are what has come at once. Throws a ClientFailure when it breaks off. */
export async function* readObjects(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly (LogLine | StreamEvent)[], void> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    parts.push(text)
    if (!text.includes("\n")) continue
    const lines = parts.join("").split("\n")
    parts = [lines.pop() ?? ""]
    yield lines.map(parse)
  }
}

/** A body's chunks; broken off when nothing has come for `silenceMs` although it was waited for. */
export async function* readChunks(
  { body }: Response,
  connection: LinkedAbort,
  silenceMs: number,
): AsyncGenerator<Uint8Array, void> {
  if (!body) return
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await readOnce(reader, connection, silenceMs)
    if (done) return
    yield value
  }
}

async function readOnce(
  reader: { read(): Promise<Bun.ReadableStreamDefaultReadResult<Uint8Array>> },
  connection: LinkedAbort,
  silenceMs: number,
) {
  let silent = false
  const timer = setTimeout(() => {
    silent = true
    connection.abort()
  }, silenceMs)
  try {
    return await reader.read()
  } catch (error) {
    const reason = silent ? `nothing has come for ${silenceMs / 1_000} s` : firstLine(error)
    throw new ClientFailure(1, reason, { passes: true })
  } finally {
    clearTimeout(timer)
  }
}

function parse(line: string): LogLine | StreamEvent {
  try {
    const told: unknown = JSON.parse(line)
    if (typeof told === "object" && told !== null) return told as LogLine | StreamEvent
  } catch {
    // Said below.
  }
  throw new ClientFailure(1, "what came is no NDJSON: does a proxy change it?", { passes: true })
}
