/** The built executable as a child process, in a directory of its own: started, ended, killed, started again. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "../sandbox.ts"
import type { PrivateRuntime } from "../runtime.ts"
import { type Usage, usageOf } from "./proc.ts"
import { logSource } from "./runtime.ts"
import { type Address, type Answer, get, readText } from "./wire.ts"

/** What `make build` makes, unless another one is to be tested. */
const EXECUTABLE =
  process.env["APPLOGS_EXECUTABLE"] ?? join(import.meta.dir, "../../../dist/applogs")

/** What says nothing for so long has not started. */
const START_MS = 15_000

/** How it is told which runtime to use. */
type Flags = Pick<PrivateRuntime, "flags" | "env">

interface Surroundings {
  /** A command that becomes the executable, and gives it a smaller world: `prlimit --nofile=128`. */
  readonly under?: readonly string[]
  /** An empty one, which it works in and writes its log to; default one of its own. */
  readonly directory?: string
}

/** Starts it on a free port, and waits until it serves the runtime's apps. */
export async function startApplogs(runtime: Flags, around: Surroundings = {}): Promise<Applogs> {
  const applogs = new Applogs(runtime, around)
  try {
    await applogs.start()
    await applogs.ready()
    return applogs
  } catch (error) {
    await applogs[Symbol.asyncDispose]()
    throw error
  }
}

export class Applogs implements AsyncDisposable {
  readonly key = "test-key-0123456789abcdef"
  readonly #directory: string
  readonly #under: readonly string[]
  readonly #env: Readonly<Record<string, string>>
  readonly #flags: readonly string[]
  #port = 0
  #child: Bun.Subprocess<"ignore", "pipe", number> | undefined

  constructor({ flags, env = {} }: Flags, { under = [], directory }: Surroundings = {}) {
    this.#directory = directory ?? mkdtempSync(join(tmpdir(), "applogs-e2e-"))
    this.#under = under
    this.#env = env
    const all = { "--log-source": logSource, ...flags }
    this.#flags = Object.entries(all).map(([flag, value]) => `${flag}=${value}`)
    writeFileSync(this.#path("key"), `${this.key}\n`, { mode: 0o600 })
  }

  /** Of the API's listener. */
  get address(): Address {
    return { host: "127.0.0.1", port: this.#port }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Of the listener that asks for no key. */
  get localSocket(): string {
    return this.#path("applogs.sock")
  }

  /** Starts it, on the port that it had before; the milliseconds until it says where it listens. */
  async start(): Promise<number> {
    const log = openSync(this.#path("log"), "a")
    const began = performance.now()
    const child = Bun.spawn(
      [...this.#under, EXECUTABLE, "serve"].concat(
        this.#flags,
        `--listen=127.0.0.1:${this.#port}`,
        `--local-socket=${this.localSocket}`,
        `--api-key-file=${this.#path("key")}`,
      ),
      // Nothing of this process's own environment or directory belongs to it.
      { cwd: this.#directory, env: { ...this.#env }, stdin: "ignore", stdout: "pipe", stderr: log },
    )
    closeSync(log)
    this.#child = child
    const late = setTimeout(() => child.kill("SIGKILL"), START_MS)
    let said = ""
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      const port = /^API: http:\/\/127\.0\.0\.1:(\d+) /m.exec(said)?.[1]
      if (port === undefined) continue
      clearTimeout(late)
      this.#port = Number(port)
      return performance.now() - began
    }
    throw new Error(`applogs did not start: ${said}${this.log()}`)
  }

  /** Waits until it knows the engine's containers. */
  async ready(): Promise<void> {
    await until(async () => (await this.get("/readyz")).status === 200, { what: "/readyz" })
  }

  /** Ends it; its exit code, or the signal that killed it. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string | null> {
    const child = this.#child
    if (!child) return null
    this.#child = undefined
    child.kill(signal)
    await until(() => child.exitCode !== null || child.signalCode !== null, {
      what: `applogs to end after ${signal}`,
      timeoutMs: 10_000,
    })
    return child.exitCode ?? child.signalCode
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return get(this.address, path, { Authorization: `Bearer ${this.key}`, ...headers })
  }

  async getText(path: string): Promise<string> {
    return readText(await this.get(path))
  }

  /** A number out of `/metrics`. */
  async metric(name: string): Promise<number> {
    const value = new RegExp(`^${name} (\\S+)$`, "m").exec(await this.getText("/metrics"))?.[1]
    if (value === undefined) throw new Error(`no metric ${name}`)
    return Number(value)
  }

  /** Of the process that runs; 0 when none does. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  usage(): Usage {
    return usageOf(this.pid)
  }

  /** What it has said of itself so far. */
  log(): string {
    return readFileSync(this.#path("log"), "utf8")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL")
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #path(name: string): string {
    return join(this.#directory, name)
  }
}
