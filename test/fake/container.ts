/** A container of the fake engine: what it is, what happens to it, and the log it writes. */
import { randomBytes } from "node:crypto"
import type { ContainerState, StreamName } from "../../src/runtime.ts"
import { type EventSource, engineEvent } from "./events.ts"
import { Copier, Log, type Run } from "./log.ts"

export interface ContainerSpec {
  /** 64 lower-case hex digits; random by default. */
  readonly id?: string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly image?: string
  readonly tty?: boolean
  /** `json-file` by default; `none` cannot be read. */
  readonly driver?: string
  /** False: created, and never started. */
  readonly started?: boolean
  /** Where inspect says that the log file is; nowhere that exists by default. */
  readonly logPath?: string
}

/** What a container needs of its engine. */
export interface ContainerHome {
  readonly apiMinor: number
  clock(): bigint
  emit(event: EventSource): void
  forget(container: FakeContainer): void
  /** Sends an error, now, into the open log responses of the container. */
  interrupt(container: FakeContainer, text: string, ends: boolean): void
}

export class FakeContainer {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
  readonly image: string
  readonly tty: boolean
  readonly driver: string
  readonly logPath: string
  readonly createdNs: bigint
  readonly log = new Log()
  name: string
  state: ContainerState = "created"
  exitCode = 0
  oomKilled = false
  restartCount = 0
  startedNs: bigint | undefined
  finishedNs: bigint | undefined
  /** The run that a follower can join; absent while nothing writes to the log. */
  run: Run | undefined
  readonly #home: ContainerHome
  #copiers: Readonly<Record<StreamName, Copier>>

  constructor(spec: ContainerSpec, home: ContainerHome) {
    this.id = spec.id ?? randomBytes(32).toString("hex")
    if (!/^[0-9a-f]{64}$/.test(this.id)) throw new Error(`not a container id: ${this.id}`)
    this.name = spec.name ?? `container-${this.id.slice(0, 8)}`
    this.labels = spec.labels ?? {}
    this.image = spec.image ?? "box:1"
    this.tty = spec.tty ?? false
    this.driver = spec.driver ?? "json-file"
    this.logPath = spec.logPath ?? `/nonexistent/docker/containers/${this.id}/${this.id}-json.log`
    this.#home = home
    this.createdNs = home.clock()
    this.#copiers = this.#newCopiers()
    this.#emit("create")
    if (spec.started ?? true) this.start()
  }

  /**
   * Output of the process. Only whole lines, and parts of a full record's length, reach the log; the
   * rest waits for more output or the end, as in the real engine. On a TTY a newline becomes CRLF and
   * everything is stdout. `ns` stamps it in place of the clock.
   */
  append(stream: StreamName, output: string | Uint8Array, ns?: bigint): this {
    if (this.run === undefined) throw new Error(`${this.name} does not run`)
    const bytes = Buffer.from(output)
    if (!this.tty) this.#copiers[stream].push(bytes, ns)
    else this.#copiers.stdout.push(carriageReturns(bytes), ns)
    return this
  }

  /** Stores one record as it is, running or not: for logs that no process of today could write. */
  record(stream: StreamName, stored: string | Uint8Array, ns = this.#home.clock()): this {
    this.log.add({ stream, ns, bytes: Uint8Array.from(Buffer.from(stored)) })
    return this
  }

  start(): void {
    if (this.run !== undefined) throw new Error(`${this.name} runs already`)
    this.state = "running"
    this.startedNs = this.#home.clock()
    this.run = {}
    this.#copiers = this.#newCopiers()
    this.#emit("start")
  }

  /** The process ends by itself. */
  exit(exitCode = 0): void {
    this.#end("exited", exitCode)
    this.#emit("die", { exitCode: String(exitCode) })
  }

  /** `docker stop`. */
  stop(exitCode = 0): void {
    this.#emit("kill", { signal: "15" })
    this.exit(exitCode)
    this.#emit("stop")
  }

  /** `docker restart`. */
  restart(exitCode = 0): void {
    this.stop(exitCode)
    this.start()
    this.#emit("restart")
  }

  /** The process ends and its policy will start it again: running, by its own account, but not writing. */
  crash(exitCode = 1): void {
    this.#end("restarting", exitCode)
    this.restartCount += 1
    this.#emit("die", { exitCode: String(exitCode) })
  }

  oom(): void {
    this.#emit("oom")
    this.oomKilled = true
    this.exit(137)
  }

  /** Logs of a dead container are refused with a 409. */
  markDead(): void {
    this.#end("dead", 137)
    this.#emit("die", { exitCode: "137" })
  }

  pause(): void {
    this.state = "paused"
    this.#emit("pause")
  }

  unpause(): void {
    this.state = "running"
    this.#emit("unpause")
  }

  rename(name: string): void {
    const oldName = this.name
    this.name = name
    this.#emit("rename", { oldName: `/${oldName}` })
  }

  /** `docker rm -f`. */
  remove(): void {
    if (this.run !== undefined) {
      this.#emit("kill", { signal: "9" })
      this.exit(137)
    }
    this.#home.forget(this)
    this.#emit("destroy")
  }

  /** Drops the oldest `count` records; all by default. */
  rotate(count = Number.MAX_SAFE_INTEGER): void {
    this.log.rotate(count)
  }

  /** The engine fails to read on: open log responses say so, and end unless told otherwise. */
  errorFrame(text: string, { ends = true }: { readonly ends?: boolean } = {}): void {
    this.#home.interrupt(this, text, ends)
  }

  #end(state: ContainerState, exitCode: number): void {
    if (this.run === undefined) throw new Error(`${this.name} does not run`)
    this.#copiers.stdout.close()
    this.#copiers.stderr.close()
    this.run.end = this.log.end
    this.run = undefined
    this.state = state
    this.exitCode = exitCode
    this.finishedNs = this.#home.clock()
    this.log.wake()
  }

  #newCopiers(): Readonly<Record<StreamName, Copier>> {
    const copier = (stream: StreamName) =>
      new Copier({
        stream,
        clock: () => this.#home.clock(),
        text: this.driver === "json-file",
        losesLastNewline: this.driver === "local" && this.#home.apiMinor < 42,
        store: (record) => this.log.add(record),
      })
    return { stdout: copier("stdout"), stderr: copier("stderr") }
  }

  #emit(action: string, attributes: Readonly<Record<string, string>> = {}): void {
    this.#home.emit(
      engineEvent(action, this.id, {
        ...this.labels,
        ...attributes,
        image: this.image,
        name: this.name,
      }),
    )
  }
}

function carriageReturns(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\n", "\r\n"), "latin1")
}
