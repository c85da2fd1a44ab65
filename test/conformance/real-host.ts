/**
 * Makes things happen in a real container runtime, for the conformance suite. Its containers run a shell that
 * is told through a pipe, reached by way of /proc, what to print: exactly which bytes, when, and where.
 */
import { closeSync, constants, openSync, writeFileSync, writeSync } from "node:fs"
import type { PrivateRuntime } from "../real/runtime.ts"
import type { ConformanceHost, HostContainer, HostContainerSpec, Output } from "./host.ts"

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

export class RealHost implements ConformanceHost {
  readonly patienceMs = PATIENCE_MS
  readonly #real: PrivateRuntime
  readonly #ids: string[] = []
  #away = false

  constructor(real: PrivateRuntime) {
    this.#real = real
  }

  async create(spec: HostContainerSpec = {}): Promise<HostContainer> {
    const name = spec.name ?? `conformance-${Bun.randomUUIDv7()}`
    const id = await this.#real.create({
      name,
      command: ["/bin/sh", "-c", SHELL],
      labels: spec.labels ?? {},
      tty: spec.tty ?? false,
      ...(spec.unreadable && { logDriver: "none" }),
      logOptions: spec.rotates ? ROTATION : {},
    })
    this.#ids.push(id)
    const container = new RealContainer(this.#real, id, name, spec.rotates ?? false)
    if (spec.started ?? true) await container.start()
    if (spec.output) await container.write(spec.output)
    if (spec.exitCode !== undefined) await container.exit(spec.exitCode)
    return container
  }

  async down(): Promise<void> {
    this.#away = true
    await this.#real.stop()
  }

  async up(): Promise<void> {
    await this.#real.start()
    this.#away = false
  }

  open(): number {
    return this.#away ? 0 : this.#real.inUse()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#away) await this.up()
    await Promise.all(this.#ids.map((id) => this.#real.removeContainer(id)))
  }
}

class RealContainer implements HostContainer {
  readonly id: string
  readonly name: string
  readonly #real: PrivateRuntime
  readonly #rotates: boolean
  #files = 0
  #ended = 0
  /** What was written last, if it has no end. */
  #unfinished = ""

  constructor(real: PrivateRuntime, id: string, name: string, rotates: boolean) {
    this.#real = real
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
      const said = bytes.toString().split("\n")
      last = said.at(-2) ?? ""
      this.#unfinished = said.at(-1) ?? ""
    }
    await this.#until(() => this.#holds(last), "the log to hold the output")
  }

  async exit(code: number): Promise<void> {
    await this.#tell(`exit ${code}`)
    await this.#real.exited(this.id)
  }

  async stop(): Promise<void> {
    await this.#real.stopContainer(this.id, 0)
    await this.#real.exited(this.id)
    // Some are stored a moment later.
    const isStored = () =>
      this.#real.storedLines(this.id).at(-1)?.message.endsWith(this.#unfinished) ?? true
    await this.#until(isStored, "the log to hold the unfinished line")
  }

  async start(): Promise<void> {
    await this.#real.startContainer(this.id)
  }

  async restart(): Promise<void> {
    await this.#real.restartContainer(this.id, 0)
  }

  async remove(): Promise<void> {
    await this.#real.removeContainer(this.id)
  }

  async rotate(): Promise<void> {
    await this.write([{ stream: "stdout", text: FILLER }])
  }

  /** Whether the log has every ended line; where lines get lost by rotation, whether it has the last one. */
  #holds(last: string): boolean {
    if (this.#rotates) return this.#real.storedLines(this.id).at(-1)?.message === last
    return this.#real.storedEnds(this.id) >= this.#ended
  }

  /** Waits for the shell to listen, as it does a moment after the start. */
  async #tell(words: string, put?: { file: string; text: string | Uint8Array }): Promise<void> {
    await this.#until(async () => {
      const { Pid } = (await this.#real.inspect(this.id)).State
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
