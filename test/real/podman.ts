/**
 * A private Podman for tests: the real one, with real containers, in a throw-away directory, and nothing
 * of a Podman that somebody on the machine uses. Containers are made by its command line and live without
 * its service, which can be killed and started again.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { call, type Inspection } from "./engine-api.ts"
import { buildImage } from "./image.ts"
import { exercised } from "./machine.ts"
import { PrivateJournald } from "./journald.ts"
import { openLogs } from "./open-logs.ts"
import { PodmanCommand } from "./podman-command.ts"
import type { CommandLine, PlainSpec, PrivateRuntime } from "./runtime.ts"
import { closeSandbox, openSandbox, signalProcess, until } from "./sandbox.ts"
import type { Placed, Sandbox } from "./sandbox.ts"
import type { StoredLine } from "./stored.ts"
import { countK8sEnds, readK8sLines } from "./stored-k8s.ts"

// By its full name, or Podman looks it up in the machine's table of short names.
const IMAGE = "localhost/applogs-test:latest"

interface PodmanOptions extends Placed {
  /** Its containers write to a journal of its own, unless they are told otherwise. */
  readonly journal?: boolean
}

/** Starts a private Podman, and waits until its service answers, which takes about a second. */
export async function startPodman({
  journal = false,
  ...placed
}: PodmanOptions = {}): Promise<PrivatePodman> {
  const sandbox = await openSandbox(placed)
  const journald = journal ? await PrivateJournald.start(sandbox) : undefined
  const podman = new PrivatePodman(sandbox, journald)
  try {
    await podman.importImage()
    await podman.start()
    exercised(journal ? "podman-journal" : "podman", await podman.version())
    return podman
  } catch (error) {
    await podman[Symbol.asyncDispose]()
    throw error
  }
}

export class PrivatePodman implements PrivateRuntime {
  /** Of the service's API. */
  readonly socket: string
  readonly #sandbox: Sandbox
  readonly #podman: PodmanCommand
  /** Where its containers' logs are, if they are not files. */
  readonly journald: PrivateJournald | undefined
  #service: Bun.Subprocess | undefined

  constructor(sandbox: Sandbox, journald?: PrivateJournald) {
    this.#sandbox = sandbox
    this.journald = journald
    this.#podman = new PodmanCommand(sandbox, journald?.enter)
    this.socket = join(sandbox.path, "podman.sock")
  }

  /** For what a test wants to be swept with it. */
  get directory(): string {
    return this.#sandbox.path
  }

  get flags() {
    return { "--runtime": "podman", "--podman-socket": this.socket }
  }

  /** The service holds a log file open for every request that reads it. */
  inUse(): number {
    return this.#service ? openLogs(this.#service.pid) : 0
  }

  async importImage(): Promise<void> {
    const archive = await buildImage(join(this.#sandbox.path, "image"))
    await this.#podman.importImage(IMAGE, archive)
  }

  /** Starts the service, for the first time or after `kill` or `stop`, and waits until it answers. */
  async start(): Promise<void> {
    const command = ["system", "service", "--time=0", `unix://${this.socket}`]
    const service = this.#podman.start(command, "service.log")
    this.#service = service
    const answers = () => this.version().then(Boolean, () => false)
    await until(() => hasEnded(service) || answers(), { what: "the Podman service to answer" })
    if (hasEnded(service)) throw new Error(`the Podman service ended:\n${this.serviceLog()}`)
  }

  /** Ends the service with SIGTERM. Containers run on, and their output is stored as before. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM")
  }

  /** Ends the service with SIGKILL. Containers run on, and their output is stored as before. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL")
  }

  /** Freezes the service: its socket takes connections, and never answers. Containers run on. */
  freeze(): void {
    if (this.#service) signalProcess(this.#service.pid, "SIGSTOP")
  }

  thaw(): void {
    if (this.#service) signalProcess(this.#service.pid, "SIGCONT")
  }

  async version(): Promise<string> {
    const version = (await (await call(this.socket, "GET", "/version")).json()) as {
      Version: string
    }
    return version.Version
  }

  /** Creates and starts a container; its id. */
  async run(spec: PlainSpec): Promise<string> {
    return await this.#podman.run(["run", "--detach", ...this.#args(spec)])
  }

  /** Creates a container without starting it; its id. */
  async create(spec: PlainSpec): Promise<string> {
    return await this.#podman.run(["create", ...this.#args(spec)])
  }

  async startContainer(id: string): Promise<void> {
    await this.#podman.run(["start", id])
  }

  /** As `podman stop`, `podman restart`: SIGTERM, and SIGKILL after `seconds`. */
  async stopContainer(id: string, seconds = 5): Promise<void> {
    await this.#podman.run(["stop", `--time=${seconds}`, id])
  }

  async restartContainer(id: string, seconds = 5): Promise<void> {
    await this.#podman.run(["restart", `--time=${seconds}`, id])
  }

  async renameContainer(id: string, name: string): Promise<void> {
    await this.#podman.run(["rename", id, name])
  }

  async killContainer(id: string, signal = "SIGKILL"): Promise<void> {
    await this.#podman.run(["kill", `--signal=${signal}`, id])
  }

  /** As `podman rm -f`. */
  async removeContainer(id: string): Promise<void> {
    await this.#podman.run(["rm", "--force", "--ignore", "--time=0", "--volumes", id])
  }

  async inspect(id: string): Promise<Pick<Inspection, "Id" | "RestartCount" | "State" | "Config">> {
    const inspections = await this.#podman.run(["container", "inspect", id])
    return (JSON.parse(inspections) as [Inspection])[0]
  }

  /** Waits until a container does not run any more; its exit code. */
  async exited(id: string, timeoutMs = 60_000): Promise<number> {
    const what = `container ${id.slice(0, 12)} to exit`
    const ended = async () => {
      const { State } = await this.inspect(id)
      return State.Status === "exited" && State
    }
    return (await until(ended, { what, timeoutMs })).ExitCode
  }

  /** Where a container's k8s-file log is written; what was rotated away is deleted. */
  logFile(id: string): string {
    return join(this.#sandbox.path, `root/overlay-containers/${id}/userdata/ctr.log`)
  }

  /** The lines that were really stored, oldest first: what applogs must hand out. */
  storedLines(id: string): StoredLine[] {
    const config = join(this.#sandbox.path, `root/overlay-containers/${id}/userdata/config.json`)
    const { process } = JSON.parse(readFileSync(config, "utf8")) as {
      process: { terminal?: boolean }
    }
    const how = { tty: process.terminal ?? false }
    return this.journald?.storedLines(id, how) ?? readK8sLines(this.logFile(id), how)
  }

  /** How many line ends are stored. */
  storedEnds(id: string): number {
    return this.journald?.storedEnds(id) ?? countK8sEnds(this.logFile(id))
  }

  ownLogs(id: string): CommandLine {
    return this.#podman.line(["logs", "--timestamps", id])
  }

  /** What the service itself said so far. */
  serviceLog(): string {
    return readFileSync(join(this.#sandbox.path, "service.log"), "utf8")
  }

  /** Ends the service and all containers and deletes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    await closeSandbox(this.#sandbox)
  }

  /** Where applogs finds the programs that it needs. */
  get env(): Readonly<Record<string, string>> {
    return this.journald ? { PATH: this.journald.programs } : {}
  }

  #args(spec: PlainSpec): string[] {
    const driver = this.journald ? "journald" : "k8s-file"
    return containerArgs({ logDriver: driver, ...spec }, this.#sandbox.cgroup)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const service = this.#service
    if (!service) return
    signalProcess(service.pid, signal)
    await until(() => hasEnded(service), { what: `the Podman service to end after ${signal}` })
    this.#service = undefined
  }
}

/** Logs go to a file by default: there may be no journal to write to. */
function containerArgs(spec: PlainSpec, cgroup: string): string[] {
  const each = (flag: string, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([name, value]) => `--${flag}=${name}=${value}`)
  // What it rotates away is deleted, whatever number of files is asked for.
  const { "max-file": _, ...logOptions } = spec.logOptions ?? {}
  return [
    "--pull=never",
    `--name=${spec.name}`,
    ...each("label", spec.labels),
    `--tty=${spec.tty ?? false}`,
    `--log-driver=${spec.logDriver ?? "k8s-file"}`,
    ...(spec.remove ? ["--rm"] : []),
    ...each("log-opt", logOptions),
    "--network=none",
    `--cgroup-parent=/${cgroup}`,
    // It would raise the limits otherwise, which not every root may.
    "--ulimit=nofile=1024:1024",
    "--ulimit=nproc=10000:10000",
    IMAGE,
    ...spec.command,
  ]
}

function hasEnded(process: Bun.Subprocess): boolean {
  return process.exitCode !== null || process.signalCode !== null
}
