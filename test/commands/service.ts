/** The built executable, as tests start, ask and end it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const BINARY = join(import.meta.dir, "../../dist/applogs")

/** Two containers that always behave. */
export const PLUGIN = join(import.meta.dir, "plugin-fixture.ts")

/** The executable as a process, with sockets of its own. */
export class Service implements AsyncDisposable {
  readonly socket: string
  readonly #scratch = mkdtempSync(join(tmpdir(), "applogs-serve-"))
  readonly #stderr: string
  readonly #process: Bun.Subprocess<"ignore", "pipe", Bun.BunFile>
  #out = ""

  constructor(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    runtime = PLUGIN,
  ) {
    this.socket = join(this.#scratch, "socket")
    this.#stderr = join(this.#scratch, "stderr")
    writeFileSync(this.#stderr, "")
    const listeners = ["--listen", "127.0.0.1:0", "--local-socket", this.socket]
    this.#process = Bun.spawn([BINARY, "serve", ...listeners, "--runtime", runtime, ...args], {
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: Bun.file(this.#stderr),
    })
  }

  get errors(): string {
    return readFileSync(this.#stderr, "utf8")
  }

  /** What everybody on this host can see of it. */
  get commandLine(): string {
    return readFileSync(`/proc/${this.#process.pid}/cmdline`, "utf8").replaceAll("\0", " ")
  }

  get exited(): Promise<number> {
    return this.#process.exited
  }

  /** What it prints once it listens. */
  async listening(): Promise<string> {
    for await (const chunk of this.#process.stdout) {
      this.#out += new TextDecoder().decode(chunk)
      if (this.#out.endsWith("\n")) return this.#out
    }
    throw new Error(`it ended: ${this.errors}`)
  }

  async api(): Promise<string> {
    const [, origin] = /^API: (http:\S+)/.exec(await this.listening()) ?? []
    return origin ?? "no API"
  }

  /** Over the local socket. */
  get(path: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`http://localhost${path}`, { unix: this.socket, ...(signal && { signal }) })
  }

  /** Asks it to read its configuration again, and waits for what it says of that. */
  async reload(): Promise<string> {
    const before = this.errors.length
    this.#process.kill("SIGHUP")
    const said = () => /event=(reloaded|"not reloaded").*\n/.exec(this.errors.slice(before))?.[0]
    await untilIt("reloads", () => said() !== undefined)
    return said() ?? ""
  }

  stop(): void {
    this.#process.kill("SIGTERM")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL")
    await this.exited
    rmSync(this.#scratch, { recursive: true })
  }
}

/** Waits for a condition, for ten seconds at most. */
export async function untilIt(
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never ${what}`)
    await Bun.sleep(10)
  }
}
