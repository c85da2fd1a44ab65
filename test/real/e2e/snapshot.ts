/** Snapshots in each of their formats, as lines. */
import type { Applogs } from "./applogs.ts"
import { readText } from "./wire.ts"

export interface Row {
  readonly service: string
  /** Text does not tell it. */
  readonly stream: string
  readonly timestamp: string
  readonly message: string
}

export interface ReadSnapshot {
  readonly lines: readonly Row[]
  readonly cursor: string
}

export type Format = "text" | "json" | "ndjson"

export async function readSnapshot(
  applogs: Applogs,
  app: string,
  { query, format }: { query: string; format: Format },
): Promise<ReadSnapshot> {
  const answer = await applogs.get(`/api/apps/${app}/logs?format=${format}&${query}`)
  const text = await readText(answer)
  if (answer.status !== 200) throw new Error(`no snapshot: ${answer.status} ${text}`)
  const cursor = answer.headers.get("applogs-cursor") ?? ""
  if (format === "text") return { lines: parseText(text), cursor }
  if (format === "ndjson") return { lines: parseNdjson(text), cursor }
  const json = JSON.parse(text) as { logs: string; cursor: string }
  if (json.cursor !== cursor) throw new Error("two cursors for one snapshot")
  return { lines: parseText(json.logs), cursor }
}

function rowsOf(text: string): string[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("a last line without an end")
  return text.split("\n").slice(0, -1)
}

function parseNdjson(text: string): Row[] {
  return rowsOf(text).map((row) => JSON.parse(row) as Row)
}

/** The writer's lines say their stream themselves; of others it stays unknown. */
function parseText(text: string): Row[] {
  return rowsOf(text).map((row) => {
    const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) (\S+) *\| (.*)$/s.exec(row)
    if (!match) throw new Error(`not a row: ${JSON.stringify(row)}`)
    const [, timestamp = "", service = "", message = ""] = match
    return { service, timestamp, message, stream: message.split(" ")[1] ?? "" }
  })
}
