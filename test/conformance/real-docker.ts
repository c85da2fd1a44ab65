/**
 * Makes things happen in a real Docker Engine, for the conformance suite. Its containers run a shell that
 * is told through a pipe, reached by way of /proc, what to print: exactly which bytes, when, and where.
 */
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { plugin } from "../../plugins/docker.ts"
import type { LogSource } from "../../src/runtime.ts"
import type { PrivateDocker } from "../real/docker.ts"
import { logFiles } from "../real/stored.ts"
import type { ConformanceHost, HostContainer, HostContainerSpec, Output, Subject } from "./host.ts"

const PATIENCE_MS = 30_000

/** Does as it is told: `out <file>`, `err <file>`, `exit <code>`. It is its own reader and writer, so never ends. */
const SHELL = `
  [ -p /pipe ] || mkfifo /pipe
  exec 3<>/pipe
  while read -r word argument <&3; do
    case $word in
      out) cat "$argument" ;;
      err) cat "$argument" >&2 ;;
      exit) exit "$argument" ;;
    esac
  done`

/** Containers of a test are made with this size, and turn over far above it. */
const ROTATION = { "max-size": "16k", "max-file": "1" }
const FILLER = `${"filler ".repeat(20)}\n`.repeat(250)

/** The Docker plugin at an engine that several cases share. */
export function realDockerSubject(docker: PrivateDocker, logSource: LogSource): Subject {
  const host = new RealDockerHost(docker)
  return { host, runtime: plugin.create({ dockerSocket: docker.socket, logSource }) }
}

export class RealDockerHost implements ConformanceHost {
  readonly patienceMs = PATIENCE_MS
  readonly #docker: PrivateDocker
  readonly #ids: string[] = []
  #away = false

  constructor(docker: PrivateDocker) {
    this.#docker = docker
  }

  async create(spec: HostContainerSpec = {}): Promise<HostContainer> {
    const name = spec.name ?? `conformance-${Bun.randomUUIDv7()}`
    const id = await this.#docker.create({
      name,
      command: ["/bin/sh", "-c", SHELL],
      labels: spec.labels ?? {},
      tty: spec.tty ?? false,
      logDriver: spec.unreadable ? "none" : "json-file",
      logOptions: spec.rotates ? ROTATION : {},
    })
    this.#ids.push(id)
    const container = new RealContainer(this.#docker, id, name, spec.rotates ?? false)
    if (spec.started ?? true) await container.start()
    if (spec.output) await container.write(spec.output)
    if (spec.exitCode !== undefined) await container.exit(spec.exitCode)
    return container
  }

  async down(): Promise<void> {
    this.#away = true
    await this.#docker.stop()
  }

  async up(): Promise<void> {
    await this.#docker.start()
    this.#away = false
  }

  /** The daemon holds a log file open for every request that reads it; connections may idle in a pool. */
  open(): number {
    if (this.#away) return 0
    const pid = readFileSync(join(dirname(this.#docker.socket), "docker.pid"), "utf8").trim()
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => readsLog(pid, fd)).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#away) await this.up()
    await Promise.all(this.#ids.map((id) => this.#docker.removeContainer(id)))
  }
}

function readsLog(pid: string, fd: string): boolean {
  try {
    if (!readlinkSync(`/proc/${pid}/fd/${fd}`).includes("-json.log")) return false
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"))?.[1]
    return (Number.parseInt(flags ?? "1", 8) & constants.O_WRONLY) === 0
  } catch {
    // Closed since it was listed.
    return false
  }
}

class RealContainer implements HostContainer {
  readonly id: string
  readonly name: string
  readonly #docker: PrivateDocker
  readonly #rotates: boolean
  #files = 0
  #ended = 0

  constructor(docker: PrivateDocker, id: string, name: string, rotates: boolean) {
    this.#docker = docker
    this.id = id
    this.name = name
    this.#rotates = rotates
  }

  async write(output: readonly Output[]): Promise<void> {
    let last = ""
    for (const { stream, text, delayMs } of output) {
      if (delayMs !== undefined) await Bun.sleep(delayMs)
      this.#files += 1
      const file = `/output-${this.#files}`
      await this.#tell(`${stream === "stdout" ? "out" : "err"} ${file}`, { file, text })
      const bytes = Buffer.from(text)
      this.#ended += bytes.filter((byte) => byte === 10).length
      last = bytes.toString().split("\n").at(-2) ?? ""
    }
    await this.#until(() => this.#holds(last), "the log to hold the output")
  }

  async exit(code: number): Promise<void> {
    await this.#tell(`exit ${code}`)
    await this.#docker.exited(this.id)
  }

  async stop(): Promise<void> {
    await this.#docker.stopContainer(this.id, 0)
    await this.#docker.exited(this.id)
  }

  async start(): Promise<void> {
    await this.#docker.startContainer(this.id)
  }

  async restart(): Promise<void> {
    await this.#docker.restartContainer(this.id, 0)
  }

  async remove(): Promise<void> {
    await this.#docker.removeContainer(this.id)
  }

  async rotate(): Promise<void> {
    await this.write([{ stream: "stdout", text: FILLER }])
  }

  /** Whether the log has every ended line; where lines get lost by rotation, whether it has the last one. */
  #holds(last: string): boolean {
    if (this.#rotates) return this.#docker.storedLines(this.id).at(-1)?.message === last
    const files = logFiles(this.#docker.logFile(this.id))
    const log = files.map((file) => readFileSync(file, "latin1")).join("")
    return log.split('\\n","stream"').length - 1 >= this.#ended
  }

  /** Waits for the shell to listen, as it does a moment after the start. */
  async #tell(words: string, put?: { file: string; text: string | Uint8Array }): Promise<void> {
    await this.#until(async () => {
      const { Pid } = (await this.#docker.inspect(this.id)).State
      try {
        const root = `/proc/${Pid}/root`
        const pipe = openSync(`${root}/pipe`, constants.O_WRONLY | constants.O_NONBLOCK)
        if (put) writeFileSync(`${root}${put.file}`, put.text)
        writeSync(pipe, `${words}\n`)
        closeSync(pipe)
        return true
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        // No pipe yet, or nobody at its other end.
        if (code === "ENOENT" || code === "ENXIO") return false
        throw error
      }
    }, `the shell of ${this.name} to listen`)
  }

  async #until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms for ${what}`)
      await Bun.sleep(5)
    }
  }
}
