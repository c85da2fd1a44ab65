/** containerd's events, as nerdctl prints them, and what two lists differ in → hints. */
import type { Hint } from "../src/runtime.ts"
import { now, parseRfc3339 } from "../src/time.ts"
import { isContainerId, tryParse } from "./nerdctl-client.ts"
import type { Listed } from "./nerdctl-containers.ts"

interface PrintedEvent {
  readonly Timestamp?: string
  readonly Namespace?: string
  readonly Topic?: string
  /** JSON again. */
  readonly Event?: string
}

interface Payload {
  readonly id?: string
  readonly container_id?: string
  readonly exit_status?: number
  readonly labels?: Readonly<Record<string, string>>
}

/** By topic: what else nerdctl prints of an event changes from version to version. */
const CHANGES: Readonly<Record<string, Hint["change"]>> = {
  "/containers/create": "created",
  "/containers/delete": "removed",
  "/containers/update": "renamed",
  "/tasks/start": "started",
  "/tasks/exit": "exited",
  "/tasks/oom": "oom",
}

/** `known`: the containers by id. Lines that are no event of theirs are skipped: events are hints. */
export function parseEvent(
  line: string,
  namespace: string,
  known: ReadonlyMap<string, Listed>,
): Hint | undefined {
  const event = tryParse(line) as PrintedEvent | undefined | null
  const change = CHANGES[event?.Topic ?? ""]
  const payload = tryParse(event?.Event ?? "") as Payload | undefined | null
  if (!event || !payload || change === undefined || event.Namespace !== namespace) return undefined
  const id = payload.container_id ?? payload.id
  if (!isContainerId(id)) return undefined
  // A process that somebody ran in it has ended, not the container.
  if (change === "exited" && payload.id !== id) return undefined
  if (change === "renamed" && !isRenamed(known.get(id), payload)) return undefined
  const at = parseRfc3339(event.Timestamp ?? "") ?? now()
  return { id, change, at, ...(change === "exited" && { exitCode: payload.exit_status ?? 0 }) }
}

/** Labels change with each start; only the name is of interest. */
function isRenamed(known: Listed | undefined, { labels }: Payload): boolean {
  const name = labels?.["nerdctl/name"]
  return known !== undefined && name !== undefined && name !== known.name
}

/** What must have happened between two lists. */
export function compareLists(
  before: ReadonlyMap<string, Listed>,
  after: ReadonlyMap<string, Listed>,
): Hint[] {
  const at = now()
  const hints: Hint[] = []
  for (const [id, { state }] of after) {
    const old = before.get(id)
    if (old?.state === state) continue
    if (!old) hints.push({ id, change: "created", at })
    if (state === "running") hints.push({ id, change: "started", at })
    if (state === "exited") hints.push({ id, change: "exited", at })
  }
  for (const id of before.keys()) if (!after.has(id)) hints.push({ id, change: "removed", at })
  return hints
}
