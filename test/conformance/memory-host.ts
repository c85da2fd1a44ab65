/** Containers in memory: nothing runs, nothing is stored, and everything is at once. */
import { randomBytes } from "node:crypto"
import type { ContainerState, Hint, Line, StreamName } from "../../src/runtime.ts"
import { type Instant, now, shift } from "../../src/time.ts"
import type { ConformanceHost, HostContainer, HostContainerSpec, Output } from "./host.ts"

/** A line, whose position is the number of lines before it. */
type Stored = Omit<Line, "position">

/** Lets many wait for the next change. */
class Signal {
  #next = Promise.withResolvers<void>()

  notify(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const stop = () => this.notify()
    signal.addEventListener("abort", stop, { once: true })
    await this.#next.promise
    signal.removeEventListener("abort", stop)
  }
}

export class MemoryContainer implements HostContainer {
  readonly id = randomBytes(32).toString("hex")
  name: string
  readonly spec: HostContainerSpec
  readonly host: MemoryHost
  readonly createdAt: Instant
  readonly changed = new Signal()
  state: ContainerState = "created"
  lines: Stored[] = []
  /** How many lines were rotated away. */
  first = 0
  readonly #unended: Record<StreamName, Buffer> = {
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
  }

  constructor(spec: HostContainerSpec, host: MemoryHost) {
    this.spec = spec
    this.host = host
    this.name = spec.name ?? this.id.slice(0, 12)
    this.createdAt = host.clock()
  }

  async write(output: readonly Output[]): Promise<void> {
    for (const { stream, text, at } of output) {
      const target = this.spec.tty ? "stdout" : stream
      const bytes = Buffer.concat([this.#unended[target], Buffer.from(text)])
      const end = bytes.lastIndexOf(10) + 1
      this.#unended[target] = bytes.subarray(end)
      for (const message of end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n")) {
        this.lines.push({ stream: target, timestamp: at ?? this.host.clock(), message })
      }
    }
    this.changed.notify()
  }

  async exit(exitCode: number): Promise<void> {
    for (const stream of ["stdout", "stderr"] as const) {
      if (this.#unended[stream].length > 0) await this.write([{ stream, text: "\n" }])
    }
    this.state = "exited"
    this.changed.notify()
    this.host.hint({ id: this.id, change: "exited", at: this.host.clock(), exitCode })
  }

  rename(name: string): void {
    this.name = name
    this.host.hint({ id: this.id, change: "renamed", at: this.host.clock() })
  }

  stop(): Promise<void> {
    return this.exit(137)
  }

  async start(): Promise<void> {
    this.state = "running"
    this.host.hint({ id: this.id, change: "started", at: this.host.clock() })
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async remove(): Promise<void> {
    if (this.state === "running") await this.exit(137)
    this.host.containers.delete(this.id)
    this.host.hint({ id: this.id, change: "removed", at: this.host.clock() })
  }

  async rotate(): Promise<void> {
    this.first += this.lines.length
    this.lines = []
  }
}

export class MemoryHost implements ConformanceHost {
  readonly containers = new Map<string, MemoryContainer>()
  readonly watchers = new Set<(hint: Hint) => void>()
  readonly changed = new Signal()
  available = true
  reading = 0
  readonly patienceMs: number
  #last = now()

  constructor(patienceMs: number) {
    this.patienceMs = patienceMs
  }

  clock(): Instant {
    const time = now()
    this.#last = time > this.#last ? time : shift(this.#last, 1n)
    return this.#last
  }

  hint(hint: Hint): void {
    for (const watcher of this.watchers) watcher(hint)
  }

  async create(spec: HostContainerSpec = {}): Promise<HostContainer> {
    const container = new MemoryContainer(spec, this)
    this.containers.set(container.id, container)
    this.hint({ id: container.id, change: "created", at: container.createdAt })
    if (spec.started ?? true) await container.start()
    await container.write(spec.output ?? [])
    if (spec.exitCode !== undefined) await container.exit(spec.exitCode)
    return container
  }

  async down(): Promise<void> {
    this.available = false
    this.changed.notify()
    for (const { changed } of this.containers.values()) changed.notify()
  }

  async up(): Promise<void> {
    this.available = true
  }

  open(): number {
    return this.reading
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.containers.clear()
  }
}
