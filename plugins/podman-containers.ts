/** What Podman says of its containers, and which of their logs can be trusted how far. */
import type { Container, ContainerState, DeclaredGuarantee } from "../src/runtime.ts"
import { type Instant, parseRfc3339, secondsSince, shift, toInstant } from "../src/time.ts"
import type { LogPlace } from "./log-place.ts"

/** Where its log is read. */
export type Place = LogPlace | "journal"

/** The few fields that are wanted of an inspection. The rest holds secrets (the environment), and is dropped. */
export interface Inspection {
  readonly tty: boolean
  readonly driver: string
  readonly logPath: string
  readonly started: boolean
  readonly running: boolean
  /** When its latest run ended, if it does not run. */
  readonly endedAt: Instant | undefined
  /** Between its latest run and the one before: nothing that either wrote was stamped on the other's side. */
  readonly runBorder: Instant | undefined
}

export interface ListedContainer {
  readonly Id: string
  readonly Names?: readonly string[] | null
  readonly Labels?: Readonly<Record<string, string>> | null
  readonly State: string
  readonly Created: string
  readonly PodName?: string
  readonly IsInfra?: boolean
}

interface InspectedContainer {
  readonly State?: {
    readonly Status?: string
    readonly StartedAt?: string
    readonly FinishedAt?: string
  }
  readonly Config?: { readonly Tty?: boolean }
  readonly HostConfig?: {
    readonly LogConfig?: { readonly Type?: string; readonly Path?: string }
  }
}

const WEAKER = { level: "best-effort", source: "api" } as const

const UNREADABLE = { level: "unreadable", source: "none" } as const

/** What a log can be trusted for, by its driver and what is read of it. */
export const GUARANTEES = {
  file: {
    logs: "`k8s-file`, where its file can be read",
    level: "exact",
    source: "file",
    reason: "",
  },
  api: {
    ...WEAKER,
    logs: "`k8s-file` otherwise",
    reason: "Podman's API passes over lines of a clock that was put back",
  },
  oldApi: {
    ...WEAKER,
    logs: "`k8s-file` otherwise, before Podman 5.8",
    reason: "Podman's API before 5.8 tells times to the second",
  },
  journal: {
    logs: "`journald`, where `journalctl` may read it",
    level: "best-effort",
    source: "file",
    reason: "journald limits its rate, and drops lines above it",
  },
  journald: {
    ...WEAKER,
    logs: "`journald` otherwise",
    reason: "journald limits its rate, and drops lines above it",
  },
  unstarted: {
    ...WEAKER,
    logs: "of a container that was never started",
    reason: "it has not been started yet",
  },
  noFile: {
    ...UNREADABLE,
    logs: "no file, with `--log-source file`",
    reason: "it has no log file that can be read",
  },
  none: {
    ...UNREADABLE,
    logs: "`none`, `passthrough`",
    reason: "the logging driver keeps no logs",
  },
} as const satisfies Readonly<Record<string, DeclaredGuarantee>>

/** The end of a run is a file's time, which is early by up to a tick of the kernel. */
const TICK = 10_000_000n

/** A run is said to have started a moment after it did. Behind the end of another it starts far later. */
const START = 50_000_000n

const SETTLE_MS = 500

/** `GET /libpod/containers/json?pod=true`. What only holds a pod together is left out. */
export function parseList(json: string): readonly ListedContainer[] {
  // Podman writes null for an empty list.
  const listed = JSON.parse(json) as ListedContainer[] | null
  return (listed ?? []).filter(({ IsInfra }) => IsInfra !== true)
}

/** `GET /libpod/containers/{id}/json`. */
export function parseInspection(json: string): Inspection {
  const { State, Config, HostConfig } = JSON.parse(json) as InspectedContainer
  const running = RUNNING.has(toState(State?.Status ?? ""))
  // What has not happened is said to have been in the year 1, which is no instant.
  const startedAt = parseRfc3339(State?.StartedAt ?? "")
  const finishedAt = parseRfc3339(State?.FinishedAt ?? "")
  return {
    tty: Config?.Tty === true,
    driver: HostConfig?.LogConfig?.Type ?? "",
    logPath: HostConfig?.LogConfig?.Path ?? "",
    started: startedAt !== undefined,
    running,
    endedAt: running ? undefined : finishedAt,
    runBorder: running
      ? finishedAt && shift(finishedAt, TICK)
      : startedAt && shift(startedAt, -START),
  }
}

/** Whether it has ever been started: before, it has no log. */
export function isStarted({ State }: ListedContainer): boolean {
  return toState(State) !== "created"
}

/** Whether the log is a file that applogs can read. */
export function isFile({ driver }: Inspection): boolean {
  return driver === "k8s-file" || driver === "json-file"
}

/** For so many milliseconds, what it wrote in the end may still be on its way to the journal. */
export function settleMs({ endedAt }: Inspection): number {
  const past = endedAt === undefined ? SETTLE_MS : secondsSince(endedAt) * 1_000
  return Math.min(Math.max(0, SETTLE_MS - past), SETTLE_MS)
}

/** Nobody can read what these drivers were given. */
export function isUnreadable({ driver }: Inspection): boolean {
  return driver === "none" || driver.startsWith("passthrough")
}

/** `version`: of Podman. Without an inspection: of a container that has never been started. */
export function toContainer(
  listed: ListedContainer,
  version: string,
  inspection?: Inspection,
  place: Place = "api",
): Container {
  return {
    id: listed.Id,
    name: listed.Names?.[0] ?? listed.Id,
    labels: listed.Labels ?? {},
    ...(listed.PodName && { pod: listed.PodName }),
    state: toState(listed.State),
    createdAt: parseRfc3339(listed.Created) ?? toInstant(0n),
    guarantee: inspection ? guaranteeOf(inspection, place, version) : GUARANTEES.unstarted,
  }
}

function toState(state: string): ContainerState {
  return STATES[state] ?? "exited"
}

const STATES: Readonly<Record<string, ContainerState>> = {
  configured: "created",
  created: "created",
  initialized: "created",
  running: "running",
  paused: "paused",
  // It may write until it has stopped.
  stopping: "running",
  stopped: "exited",
  exited: "exited",
  removing: "dead",
}

const RUNNING: ReadonlySet<ContainerState> = new Set(["running", "paused"])

function guaranteeOf(inspection: Inspection, place: Place, version: string): DeclaredGuarantee {
  if (isUnreadable(inspection)) return GUARANTEES.none
  if (place === "none") return GUARANTEES.noFile
  if (place === "journal") return GUARANTEES.journal
  if (place !== "api") return GUARANTEES.file
  if (inspection.driver === "journald") return GUARANTEES.journald
  return hasNanoseconds(version) ? GUARANTEES.api : GUARANTEES.oldApi
}

function hasNanoseconds(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 5 || (major === 5 && minor >= 8)
}
