/**
 * A private Docker Engine for tests: real `dockerd`, real containers, in a throw-away directory, and
 * nothing of an engine that the machine may run. It can be killed, frozen and started again.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { call, type ContainerSpec, createBody, type Inspection } from "./engine-api.ts"
import { buildImage } from "./image.ts"
import { exercised } from "./machine.ts"
import { openLogs } from "./open-logs.ts"
import type { CommandLine, PrivateRuntime } from "./runtime.ts"
import { closeSandbox, openSandbox, signalProcess, until } from "./sandbox.ts"
import type { Placed, Sandbox } from "./sandbox.ts"
import { countEnds, readStoredLines, type StoredLine } from "./stored.ts"

const IMAGE = "applogs-test"

export interface DockerOptions extends Placed {
  /** Containers run on while the daemon is down. Default true. */
  readonly liveRestore?: boolean
}

/** Starts a private engine and waits until it answers, which takes about a second. */
export async function startDocker(options: DockerOptions = {}): Promise<PrivateDocker> {
  const docker = new PrivateDocker(await openSandbox(options), options)
  try {
    await docker.startContainerd()
    await docker.start()
    await docker.importImage()
    return docker
  } catch (error) {
    await docker[Symbol.asyncDispose]()
    throw error
  }
}

export class PrivateDocker implements PrivateRuntime {
  /** Of the engine's API. */
  readonly socket: string
  readonly #sandbox: Sandbox
  readonly #liveRestore: boolean
  #daemon: Bun.Subprocess | undefined

  constructor(sandbox: Sandbox, { liveRestore = true }: DockerOptions) {
    this.#sandbox = sandbox
    this.#liveRestore = liveRestore
    this.socket = this.#path("docker.sock")
  }

  get flags() {
    return { "--runtime": "docker", "--docker-socket": this.socket }
  }

  /** The daemon holds a log file open for every request that reads it; connections may idle in a pool. */
  inUse(): number {
    return this.#daemon ? openLogs(this.#daemon.pid) : 0
  }

  /**
   * A containerd of its own, apart from the daemon, which would take one of its children with it when
   * it is killed.
   */
  async startContainerd(): Promise<void> {
    const config = this.#path("containerd.toml")
    const address = this.#path("containerd.sock")
    writeFileSync(
      config,
      `version = 2
       root = "${this.#path("containerd-root")}"
       state = "${this.#path("containerd-state")}"
       disabled_plugins = ["io.containerd.grpc.v1.cri"]
       [grpc]
       address = "${address}"
       [plugins."io.containerd.internal.v1.opt"]
       path = "${this.#path("containerd-opt")}"`,
    )
    const containerd = this.#spawn("containerd", ["--config", config])
    await this.#answers(containerd, "containerd", () =>
      Bun.connect({ unix: address, socket: { data() {} } }).then(
        (connection) => (connection.end(), true),
        () => false,
      ),
    )
  }

  /** Starts the daemon, for the first time or after `kill` or `stop`, and waits until it answers. */
  async start(): Promise<void> {
    // Without a configuration file of its own it would read that of the machine's engine.
    writeFileSync(this.#path("daemon.json"), "{}")
    mkdirSync(this.#path("exec"), { recursive: true })
    const daemon = this.#spawn("dockerd", [
      `--config-file=${this.#path("daemon.json")}`,
      `--containerd=${this.#path("containerd.sock")}`,
      `--data-root=${this.#path("data")}`,
      `--exec-root=${this.#path("exec")}`,
      `--pidfile=${this.#path("docker.pid")}`,
      `--host=unix://${this.socket}`,
      `--live-restore=${this.#liveRestore}`,
      "--exec-opt=native.cgroupdriver=cgroupfs",
      "--iptables=false",
      "--ip-masq=false",
      "--bridge=none",
    ])
    this.#daemon = daemon
    await this.#answers(daemon, "dockerd", () =>
      call(this.socket, "GET", "/_ping").then(
        () => true,
        () => false,
      ),
    )
  }

  /** Ends the daemon with SIGTERM. Containers are stopped, unless `liveRestore`. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM")
  }

  /**
   * Ends the daemon with SIGKILL. What it had read from a container and not stored yet is lost: about one
   * time in thirty, a dozen lines of a stream that writes 850 lines/s. So hold results against
   * `storedLines`, not against what was written.
   */
  async kill(): Promise<void> {
    await this.#end("SIGKILL")
  }

  /** Freezes the daemon: its socket takes connections, and never answers. */
  freeze(): void {
    this.#signal("SIGSTOP")
  }

  thaw(): void {
    this.#signal("SIGCONT")
  }

  async version(): Promise<string> {
    const version = (await (await call(this.socket, "GET", "/version")).json()) as {
      Version: string
    }
    return version.Version
  }

  /** Creates and starts a container; its id. */
  async run(spec: ContainerSpec): Promise<string> {
    const id = await this.create(spec)
    await this.startContainer(id)
    return id
  }

  /** Creates a container without starting it; its id. */
  async create(spec: ContainerSpec): Promise<string> {
    const created = await call(this.socket, "POST", `/containers/create?name=${spec.name}`, {
      json: createBody(IMAGE, spec, this.#sandbox.cgroup),
    })
    return ((await created.json()) as { Id: string }).Id
  }

  async startContainer(id: string): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/start`, { allow: [304] })
  }

  /** As `docker stop`, `docker restart`: SIGTERM, and SIGKILL after `seconds`. */
  async stopContainer(id: string, seconds = 5): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/stop?t=${seconds}`, { allow: [304] })
  }

  async restartContainer(id: string, seconds = 5): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/restart?t=${seconds}`)
  }

  async killContainer(id: string, signal = "SIGKILL"): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/kill?signal=${signal}`)
  }

  /** As `docker rm -f`. */
  async removeContainer(id: string): Promise<void> {
    await call(this.socket, "DELETE", `/containers/${id}?force=1&v=1`, { allow: [404] })
  }

  async renameContainer(id: string, name: string): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/rename?name=${name}`)
  }

  async pauseContainer(id: string): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/pause`)
  }

  async unpauseContainer(id: string): Promise<void> {
    await call(this.socket, "POST", `/containers/${id}/unpause`)
  }

  async inspect(id: string): Promise<Inspection> {
    const response = await call(this.socket, "GET", `/containers/${id}/json`)
    return (await response.json()) as Inspection
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

  /** Where the engine writes a container's json-file log; rotated files stand beside it. */
  logFile(id: string): string {
    return this.#path(`data/containers/${id}/${id}-json.log`)
  }

  /** The lines that the engine really stored, oldest first: what applogs must hand out. */
  storedLines(id: string): StoredLine[] {
    // The daemon need not be up to be asked.
    const config = readFileSync(this.#path(`data/containers/${id}/config.v2.json`), "utf8")
    const { Config } = JSON.parse(config) as Pick<Inspection, "Config">
    return readStoredLines(this.logFile(id), { tty: Config.Tty })
  }

  storedEnds(id: string): number {
    return countEnds(this.logFile(id))
  }

  ownLogs(id: string): CommandLine {
    const command = ["docker", "--host", `unix://${this.socket}`, "logs", "--timestamps", id]
    return { command, env: { PATH: process.env["PATH"] ?? "" } }
  }

  /** What the daemons themselves said so far. */
  daemonLog(): string {
    return readFileSync(this.#path("daemons.log"), "utf8")
  }

  /** Ends the engine with all its containers and deletes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    await closeSandbox(this.#sandbox)
  }

  async importImage(): Promise<void> {
    await call(this.socket, "POST", `/images/create?fromSrc=-&repo=${IMAGE}`, {
      body: await buildImage(this.#path("image")),
    }).then((response) => response.text())
    exercised("docker", await this.version())
  }

  #path(name: string): string {
    return join(this.#sandbox.path, name)
  }

  #spawn(program: string, args: readonly string[]): Bun.Subprocess {
    const log = openSync(this.#path("daemons.log"), "a")
    const child = Bun.spawn([program, ...args], {
      stdin: "ignore",
      stdout: log,
      stderr: log,
      // A session of its own, as a service has one: processors are shared out between sessions first.
      detached: true,
      // Neither a client's settings nor a service manager's belong to it.
      env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` },
    })
    closeSync(log)
    return child
  }

  /** Waits until a daemon answers; when it does not, throws with the end of its log. */
  async #answers(
    daemon: Bun.Subprocess,
    name: string,
    answers: () => Promise<boolean>,
  ): Promise<void> {
    const what = `${name} to answer`
    try {
      await until(() => daemon.exitCode !== null || daemon.signalCode !== null || answers(), {
        what,
      })
    } catch (error) {
      throw new Error(`${name} did not answer:\n${this.daemonLog().slice(-4000)}`, { cause: error })
    }
    if (daemon.exitCode !== null || daemon.signalCode !== null) {
      throw new Error(`${name} ended by itself:\n${this.daemonLog().slice(-4000)}`)
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const daemon = this.#daemon
    if (!daemon) return
    this.#signal(signal)
    await until(() => daemon.exitCode !== null || daemon.signalCode !== null, {
      what: `dockerd to end after ${signal}`,
    })
    this.#daemon = undefined
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#daemon) signalProcess(this.#daemon.pid, signal)
  }
}
