/**
 * A private containerd for tests, with containers that a real nerdctl runs: all of it in a throw-away
 * directory, and nothing of a containerd that the machine may run.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { Inspection } from "./engine-api.ts"
import { buildArchive } from "./image-archive.ts"
import { BUILT_NERDCTL, exercised } from "./machine.ts"
import { isLogged, processesWith } from "./nerdctl-processes.ts"
import { output, PATH } from "./output.ts"
import { Relay } from "./relay.ts"
import type { CommandLine, PlainSpec, PrivateRuntime } from "./runtime.ts"
import { closeSandbox, openSandbox, signalProcess, until } from "./sandbox.ts"
import type { Placed, Sandbox } from "./sandbox.ts"
import { countEnds, readStoredLines, type StoredLine } from "./stored.ts"

const IMAGE = "applogs-test:latest"

/** Starts a private containerd, and waits until it answers. */
export async function startNerdctl(options: Placed = {}): Promise<PrivateNerdctl> {
  const nerdctl = new PrivateNerdctl(await openSandbox(options))
  try {
    await nerdctl.startContainerd()
    await nerdctl.start()
    await nerdctl.importImage()
    return nerdctl
  } catch (error) {
    await nerdctl[Symbol.asyncDispose]()
    throw error
  }
}

export class PrivateNerdctl implements PrivateRuntime {
  /** The executable; with an address and a namespace, it finds all the rest by itself. */
  readonly nerdctl: string
  /** Of containerd's socket. */
  readonly address: string
  readonly namespace = "applogs"
  readonly #sandbox: Sandbox
  /** What applogs takes for containerd's socket: when containerd ends, so do the loggers of all containers. */
  readonly #relay: Relay
  readonly #relayed: string
  /** The containers with a terminal, which their inspection does not tell. */
  readonly #terminals = new Set<string>()
  #containerd: Bun.Subprocess | undefined

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
    this.nerdctl = this.#path("bin/nerdctl")
    this.address = this.#path("containerd.sock")
    this.#relayed = this.#path("relayed.sock")
    this.#relay = new Relay(this.#relayed, this.address)
  }

  get flags() {
    return {
      "--runtime": "nerdctl",
      "--nerdctl": this.#path("bin/asked-by-applogs"),
      "--containerd-address": this.#relayed,
      "--containerd-namespace": this.namespace,
    }
  }

  inUse(): number {
    return processesWith(this.#mark)
  }

  async start(): Promise<void> {
    await this.#relay.open()
  }

  async stop(): Promise<void> {
    await this.#relay.close()
  }

  /** Freezes containerd. Containers run on, and so do their loggers. */
  freeze(): void {
    if (this.#containerd) signalProcess(this.#containerd.pid, "SIGSTOP")
  }

  thaw(): void {
    if (this.#containerd) signalProcess(this.#containerd.pid, "SIGCONT")
  }

  async startContainerd(): Promise<void> {
    this.#writeExecutables()
    const config = this.#path("containerd.toml")
    writeFileSync(
      config,
      `version = 2
       root = "${this.#path("containerd-root")}"
       state = "${this.#path("containerd-state")}"
       disabled_plugins = ["io.containerd.grpc.v1.cri"]
       [grpc]
       address = "${this.address}"
       [plugins."io.containerd.internal.v1.opt"]
       path = "${this.#path("containerd-opt")}"`,
    )
    const log = openSync(this.#path("containerd.log"), "a")
    const io = { stdin: "ignore", stdout: log, stderr: log } as const
    const daemon = Bun.spawn(["containerd", "--config", config], { ...io, env: { PATH } })
    closeSync(log)
    this.#containerd = daemon
    const ended = () => daemon.exitCode !== null || daemon.signalCode !== null
    try {
      await until(() => ended() || connects(this.address), { what: "containerd to answer" })
      if (ended()) throw new Error("it ended by itself")
    } catch (error) {
      const said = readFileSync(this.#path("containerd.log"), "utf8").slice(-4000)
      throw new Error(`containerd did not start:\n${said}`, { cause: error })
    }
  }

  /** With containerd's own client: nerdctl loads and imports images into containerd ≥ 1.7 only. */
  async importImage(): Promise<void> {
    const image = await buildArchive(this.#path("image"), IMAGE)
    const where = ["--address", this.address, "--namespace", this.namespace]
    await output(["ctr", ...where, "images", "import", image])
    exercised("nerdctl", await this.version())
  }

  async version(): Promise<string> {
    return (await this.#call(["--version"])).split(" ").at(-1) ?? ""
  }

  /**
   * Creates and starts a container; its id. A name has two characters or more. Of what a container writes
   * just before it ends, nerdctl may drop up to 64 KiB, from the middle of a line on: so hold results
   * against `storedLines`, not against what was written.
   */
  async run(spec: PlainSpec): Promise<string> {
    const id = await this.create(spec)
    await this.startContainer(id)
    return id
  }

  async create(spec: PlainSpec): Promise<string> {
    const { name, labels = {}, tty = false, logDriver = "json-file", logOptions = {} } = spec
    const fixed = ["--pull=never", "--net=none", "--runtime=runc", `--log-driver=${logDriver}`]
    const flags = [
      `--name=${name}`,
      `--cgroup-parent=/${this.#sandbox.cgroup}`,
      `--tty=${tty}`,
      ...Object.entries(labels).map(([key, value]) => `--label=${key}=${value}`),
      ...Object.entries(logOptions).map(([key, value]) => {
        // With one file and no other, nerdctl deletes none.
        return `--log-opt=${key}=${key === "max-file" && value === "1" ? "2" : value}`
      }),
    ]
    const id = await this.#call(["create", ...fixed, ...flags, IMAGE, ...spec.command])
    if (tty) this.#terminals.add(id)
    return id
  }

  async startContainer(id: string): Promise<void> {
    await this.#call(["start", id])
  }

  /** As `nerdctl stop`, `nerdctl restart`: SIGTERM, and SIGKILL after `seconds`. */
  async stopContainer(id: string, seconds = 5): Promise<void> {
    await this.#call(["stop", "--time", `${seconds}`, id])
    await until(() => !isLogged(id), { what: `the logger of ${id} to end` })
  }

  async restartContainer(id: string, seconds = 5): Promise<void> {
    await this.#call(["restart", "--time", `${seconds}`, id])
  }

  async renameContainer(id: string, name: string): Promise<void> {
    await this.#call(["rename", id, name])
  }

  /** As `nerdctl rm -f`. */
  async removeContainer(id: string): Promise<void> {
    try {
      await this.#call(["rm", "--force", "--volumes", id])
    } catch (error) {
      if (!/no such container/i.test(String(error))) throw error
    }
  }

  async inspect(id: string): Promise<Pick<Inspection, "Id" | "LogPath" | "State">> {
    return JSON.parse(
      await this.#call(["inspect", "--mode=dockercompat", "--format={{json .}}", id]),
    )
  }

  /** Waits until a container does not run any more, and its log is written to the end; its exit code. */
  async exited(id: string, timeoutMs = 60_000): Promise<number> {
    const what = `container ${id.slice(0, 12)} to exit`
    const ended = async () => {
      const { State } = await this.inspect(id)
      return State.Status === "exited" && !isLogged(id) && State
    }
    return (await until(ended, { what, timeoutMs })).ExitCode
  }

  /** Where nerdctl writes a container's json-file log; rotated files stand beside it. */
  logFile(id: string): string {
    const directory = `${this.#store(realpathSync(this.address))}/containers/${this.namespace}/${id}`
    return `${directory}/${id}-json.log`
  }

  /** The lines that nerdctl really stored, oldest first: what applogs must hand out. */
  storedLines(id: string): StoredLine[] {
    return readStoredLines(this.logFile(id), {
      tty: this.#terminals.has(id),
      partsShareTime: false,
    })
  }

  storedEnds(id: string): number {
    return countEnds(this.logFile(id))
  }

  /** Ends containerd with all its containers and deletes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay.close()
    await closeSandbox(this.#sandbox)
  }

  #path(name: string): string {
    return join(this.#sandbox.path, name)
  }

  /** Where nerdctl keeps what belongs to the containerd of this address. */
  #store(address: string): string {
    const hash = new Bun.CryptoHasher("sha256").update(address).digest("hex")
    return this.#path(`nerdctl/${hash.slice(0, 8)}`)
  }

  /** In the environment of what applogs runs, and of nothing else. */
  get #mark(): string {
    return `ASKED_BY_APPLOGS=${this.#sandbox.path}`
  }

  /** Of its own accord nerdctl reads the machine's settings, and writes below /var/lib to read anything. */
  #writeExecutables(): void {
    mkdirSync(this.#path("bin"))
    // In the sandbox, so that whoever sees that sees all it needs.
    const real = this.#path("bin/nerdctl-itself")
    copyFileSync(Bun.which("nerdctl", { PATH }) ?? BUILT_NERDCTL, real, constants.COPYFILE_FICLONE)
    mkdirSync(this.#path("nerdctl"))
    const directory = realpathSync(this.#sandbox.path)
    symlinkSync(
      this.#store(join(directory, "containerd.sock")),
      this.#store(join(directory, "relayed.sock")),
    )
    const command = `#!/bin/sh
       export NERDCTL_TOML='${this.#path("nerdctl.toml")}'
       exec '${real}' --data-root='${this.#path("nerdctl")}' --cgroup-manager=cgroupfs \\
         --cni-path='${this.#path("cni")}' --cni-netconfpath='${this.#path("cni-net.d")}' "$@"
`
    writeFileSync(this.nerdctl, command, { mode: 0o755 })
    const marked = command.replace("export ", `export '${this.#mark}' `)
    writeFileSync(this.flags["--nerdctl"], marked, { mode: 0o755 })
  }

  ownLogs(id: string): CommandLine {
    return { command: this.#command(["logs", "--timestamps", id]), env: { PATH } }
  }

  #command(args: readonly string[]): string[] {
    return [this.nerdctl, "--address", this.address, "--namespace", this.namespace, ...args]
  }

  async #call(args: readonly string[]): Promise<string> {
    return output(this.#command(args))
  }
}

async function connects(address: string): Promise<boolean> {
  return Bun.connect({ unix: address, socket: { data() {} } }).then(
    (connection) => (connection.end(), true),
    () => false,
  )
}
