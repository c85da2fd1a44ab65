/** What nerdctl says of its containers, where their logs are, and how far these can be trusted. */
import type { Container, ContainerState, Guarantee } from "../src/runtime.ts"
import { type Instant, parseRfc3339, toInstant } from "../src/time.ts"
import { isContainerId, parseObject } from "./nerdctl-client.ts"
import { GUARANTEES } from "./nerdctl-guarantees.ts"

/** A container as the list has it. */
export interface Listed {
  readonly id: string
  readonly name: string
  /** `undefined`: nerdctl cannot tell it at this moment. */
  readonly state: ContainerState | undefined
  readonly createdAt: Instant
  readonly labels: Readonly<Record<string, string>>
  readonly log: Log
}

/** Where its output goes: nerdctl's own file, one of Kubernetes (an inspection tells which), or nowhere to be read. */
export type Log = { readonly file: string } | "kubernetes" | { readonly unreadable: Guarantee }

/** What no change of state alters, and only an inspection tells. */
export interface Inspection {
  readonly terminal: boolean
  /** Of a container of Kubernetes. */
  readonly logPath: string | undefined
}

/** For `nerdctl ps --format`: a JSON object a line. Its own `json` mixes labels up. */
export const LIST_FORMAT = template({
  ID: ".ID",
  Name: ".Names",
  Status: ".Status",
  CreatedAt: ".CreatedAt",
  Labels: ".LabelsMap",
})

/** For `nerdctl inspect --mode=native --format`: without the environment, which holds secrets. */
export const INSPECT_FORMAT = template({
  Terminal: ".Spec.Process.Terminal",
  Extensions: ".Extensions",
})

function template(fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(([name, field]) => `"${name}":{{json ${field}}}`)
  return `{${parts.join(",")}}`
}

interface Row {
  readonly ID?: string
  readonly Name?: string
  readonly Status?: string
  readonly CreatedAt?: string
  readonly Labels?: Readonly<Record<string, string>> | null
}

const KIND = "io.cri-containerd.kind"

/** By id. A pod's sandbox is no container, nor is what was named by hand with `ctr`. */
export function parseList(said: string): Map<string, Listed> {
  const containers = new Map<string, Listed>()
  for (const line of said.split("\n")) {
    if (line.trim() === "") continue
    const { ID: id, Name, Status, CreatedAt, Labels } = parseObject(line) as Row
    const labels = Labels ?? {}
    if (!isContainerId(id) || labels[KIND] === "sandbox") continue
    containers.set(id, {
      id,
      name: labels["io.kubernetes.container.name"] ?? (Name || id),
      state: stateIn(Status, labels),
      createdAt: parseRfc3339(CreatedAt ?? "") ?? toInstant(0n),
      labels,
      log: logOf(id, labels),
    })
  }
  return containers
}

/** The first word of what is said of the state. */
const STATES: Readonly<Record<string, ContainerState>> = {
  Up: "running",
  Pausing: "paused",
  Paused: "paused",
  Created: "created",
  Exited: "exited",
  Restarting: "restarting",
}

/** nerdctl writes it once a container has been started. */
const STARTED = "containerd.io/restart.explicitly-stopped"

function stateIn(
  status: string | undefined,
  labels: Readonly<Record<string, string>>,
): ContainerState | undefined {
  const state = STATES[/^\w*/.exec(status ?? "")?.[0] ?? ""]
  // Without its task, as between two runs and behind a restart of the host, it is said to be as good as new.
  return state === "created" && STARTED in labels ? "exited" : state
}

interface LogConfig {
  readonly driver?: string
  readonly opts?: Readonly<Record<string, string>> | null
}

function logOf(id: string, labels: Readonly<Record<string, string>>): Log {
  if (labels[KIND] === "container") return "kubernetes"
  const directory = labels["nerdctl/state-dir"]
  // The path is a label's word. What does not look like nerdctl's own is not opened.
  const isOwn = directory?.startsWith("/") && directory.endsWith(`/${id}`)
  if (!isOwn) return { unreadable: GUARANTEES.foreign }
  const config = parseObject(labels["nerdctl/log-config"] ?? "{}") as LogConfig
  const { driver = "json-file", opts } = config
  if (driver === "none") return { unreadable: GUARANTEES.none }
  if (driver !== "json-file") return { unreadable: GUARANTEES.otherDriver }
  // nerdctl itself does not find it there either.
  if (opts?.["log-path"]) return { unreadable: GUARANTEES.elsewhere }
  return { file: `${directory}/${id}-json.log` }
}

const METADATA = "io.cri-containerd.container.metadata"
const POD_LOG = /^\/var\/log\/pods\/[^/]+\/[^/]+\/\d+\.log$/

interface Inspected {
  readonly Terminal?: boolean
  readonly Extensions?: Readonly<Record<string, { readonly value?: string }>> | null
}

interface Metadata {
  readonly Metadata?: { readonly LogPath?: string }
}

export function parseInspection(said: string): Inspection {
  const { Terminal, Extensions } = parseObject(said) as Inspected
  const value = Extensions?.[METADATA]?.value
  const metadata =
    value === undefined
      ? undefined
      : (parseObject(Buffer.from(value, "base64").toString()) as Metadata).Metadata
  // The path is containerd's word. What is not called as the kubelet calls its files is not opened.
  const logPath = POD_LOG.test(metadata?.LogPath ?? "") ? metadata?.LogPath : undefined
  return { terminal: Terminal === true, logPath }
}

/** What the labels of nerdctl and containerd say is for them alone, and changes with each start. */
const INTERNAL = /^(?:nerdctl|containerd\.io)\//

/** `before`: the state that was told of it last. Of a container between two runs, nerdctl knows none. */
export function stateOf({ state }: Listed, before: ContainerState | undefined): ContainerState {
  if (state === undefined) return before ?? "dead"
  return state === "created" && before !== undefined && before !== "created" ? "exited" : state
}

export function toContainer(
  { id, name, createdAt, labels }: Listed,
  state: ContainerState,
  guarantee: Guarantee,
): Container {
  const pod = labels["io.kubernetes.pod.name"]
  const own = Object.entries(labels).filter(([key]) => !INTERNAL.test(key))
  return {
    id,
    name,
    labels: Object.fromEntries(own),
    ...(pod !== undefined && { pod }),
    state,
    createdAt,
    guarantee,
  }
}
