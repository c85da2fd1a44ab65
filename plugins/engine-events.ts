/** An engine's event stream, Docker's or Podman's → hints. */
import type { Readable } from "node:stream"
import { readChunks } from "../src/logapi/chunks.ts"
import type { Hint } from "../src/runtime.ts"
import { now, toInstant } from "../src/time.ts"

/**
 * What changes a container's place in its app, or whether it logs. Podman says `remove`, and before 4.4 filters know
 * `died` alone.
 */
const CHANGES: Readonly<Record<string, Hint["change"]>> = {
  create: "created",
  start: "started",
  die: "exited",
  died: "exited",
  oom: "oom",
  destroy: "removed",
  remove: "removed",
  rename: "renamed",
}

/** The filters of `GET /events`. What an engine never says is no error there. */
export const EVENTS = { type: ["container"], event: Object.keys(CHANGES) }

interface EngineEvent {
  readonly Type?: string
  readonly Action?: string
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> }
}

/** One JSON object a line. Lines that are none are skipped: events are hints. */
export async function* parseEvents(
  body: Readable,
  signal: AbortSignal,
): AsyncGenerator<Hint, void> {
  let rest = ""
  for await (const chunk of readChunks(body, signal)) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const hint = toHint(line)
      if (hint) yield hint
    }
  }
}

function toHint(line: string): Hint | undefined {
  let event: EngineEvent
  try {
    event = JSON.parse(line) as EngineEvent
  } catch {
    return undefined
  }
  const change = CHANGES[event.Action ?? ""]
  const id = event.Actor?.ID
  if (event.Type !== "container" || !change || !id) return undefined
  // A JSON number has lost the nanoseconds by the time it is parsed.
  const nanoseconds = /"timeNano":(\d{1,19})/.exec(line)?.[1]
  const at = nanoseconds === undefined ? now() : toInstant(BigInt(nanoseconds))
  const exitCode = Number(event.Actor?.Attributes?.["exitCode"])
  return { id, change, at, ...(change === "exited" && Number.isInteger(exitCode) && { exitCode }) }
}
