/** What the Docker Engine says of its containers, and which log drivers can be trusted how far. */
import type { Container, ContainerState, DeclaredGuarantee } from "../src/runtime.ts"
import { type Instant, parseRfc3339, toInstant } from "../src/time.ts"
import type { LogPlace } from "./log-place.ts"

/** The few fields that are wanted of an inspection. The rest holds secrets (the environment), and is dropped. */
export interface Inspection {
  readonly createdAt: Instant
  readonly tty: boolean
  readonly driver: string
  /** The engine may throw lines away before it stores them. */
  readonly lossy: boolean
  /** The engine begins a new file when one is full. */
  readonly rotates: boolean
  readonly running: boolean
  /** Where the engine says that the log file is; empty before the first start, and for other drivers. */
  readonly logPath: string
}

const EXACT = { level: "exact", reason: "" } as const

const LOSSY = {
  logs: "any driver, `mode=non-blocking`",
  level: "best-effort",
  reason: "the logging driver drops lines when it is behind (mode=non-blocking)",
} as const

/** What a log can be trusted for, by its driver, the driver's options, and what is read of it. */
export const GUARANTEES = {
  file: { logs: "`json-file`, where its file can be read", source: "file", ...EXACT },
  api: { logs: "`json-file` otherwise, without `max-size`", source: "api", ...EXACT },
  rotatedApi: {
    logs: "`json-file` otherwise, `local`",
    level: "best-effort",
    source: "api",
    reason: "the engine passes over what it rotates away before it has sent it",
  },
  lossyFile: { ...LOSSY, source: "file" },
  lossyApi: { ...LOSSY, source: "api" },
  journald: {
    logs: "`journald`",
    level: "best-effort",
    source: "api",
    reason: "journald limits its rate, and drops lines above it",
  },
  cached: {
    logs: "any other driver",
    level: "best-effort",
    source: "api",
    reason:
      "the engine's own copy of what goes to this logging driver loses lines when it is behind",
  },
  unstarted: {
    logs: "of a container that was never started",
    level: "best-effort",
    source: "api",
    reason: "it has not been started yet",
  },
  noFile: {
    logs: "no file, with `--log-source file`",
    level: "unreadable",
    source: "none",
    reason: "it has no log file that can be read",
  },
  none: {
    logs: "`none`",
    level: "unreadable",
    source: "none",
    reason: "the logging driver keeps no logs (none)",
  },
} as const satisfies Readonly<Record<string, DeclaredGuarantee>>

interface ListedContainer {
  readonly Id: string
  readonly Names?: readonly string[]
  readonly Labels?: Readonly<Record<string, string>> | null
  readonly State: string
  readonly Created: number
}

interface InspectedContainer {
  readonly Created: string
  readonly LogPath?: string
  readonly Config?: { readonly Tty?: boolean }
  readonly State?: { readonly Running?: boolean; readonly Restarting?: boolean }
  readonly HostConfig?: {
    readonly LogConfig?: {
      readonly Type?: string
      readonly Config?: Readonly<Record<string, string>> | null
    }
  }
}

/** `GET /containers/json`. */
export function parseList(json: string): readonly ListedContainer[] {
  return JSON.parse(json) as ListedContainer[]
}

/** `GET /containers/{id}/json`. */
export function parseInspection(json: string): Inspection {
  const inspected = JSON.parse(json) as InspectedContainer
  const log = inspected.HostConfig?.LogConfig
  return {
    createdAt: parseRfc3339(inspected.Created) ?? toInstant(0n),
    tty: inspected.Config?.Tty === true,
    driver: log?.Type ?? "json-file",
    lossy: log?.Config?.["mode"] === "non-blocking",
    rotates: log?.Config?.["max-size"] !== undefined,
    // A container that waits to be restarted counts as running there, but has no log to follow.
    running: inspected.State?.Running === true && inspected.State.Restarting !== true,
    logPath: inspected.LogPath ?? "",
  }
}

/** Whether a later inspection would say nothing else: the engine names the log file when it opens it. */
export function isComplete({ driver, logPath }: Pick<Inspection, "driver" | "logPath">): boolean {
  return driver !== "json-file" || logPath !== ""
}

/** Whether it has ever been started: before, it has no log. */
export function isStarted({ State }: ListedContainer): boolean {
  return State !== "created"
}

/** Without an inspection: of a container that has never been started. */
export function toContainer(
  listed: ListedContainer,
  inspection?: Inspection,
  place: LogPlace = "api",
): Container {
  return {
    id: listed.Id,
    name: listed.Names?.[0]?.replace(/^\//, "") ?? listed.Id,
    labels: listed.Labels ?? {},
    state: STATES[listed.State] ?? "exited",
    // The list says it to the second. Its end is right for all who came before the first line.
    createdAt: inspection?.createdAt ?? toInstant(BigInt(listed.Created + 1) * 1_000_000_000n - 1n),
    guarantee: inspection ? guaranteeOf(inspection, place) : GUARANTEES.unstarted,
  }
}

const STATES: Readonly<Record<string, ContainerState>> = {
  created: "created",
  running: "running",
  paused: "paused",
  restarting: "restarting",
  removing: "dead",
  exited: "exited",
  dead: "dead",
}

function guaranteeOf({ driver, lossy, rotates }: Inspection, place: LogPlace): DeclaredGuarantee {
  if (driver === "none") return GUARANTEES.none
  if (place === "none") return GUARANTEES.noFile
  const isApi = place === "api"
  if (lossy) return isApi ? GUARANTEES.lossyApi : GUARANTEES.lossyFile
  if (driver === "journald") return GUARANTEES.journald
  if (driver !== "json-file" && driver !== "local") return GUARANTEES.cached
  if (!isApi) return GUARANTEES.file
  return rotates || driver === "local" ? GUARANTEES.rotatedApi : GUARANTEES.api
}
