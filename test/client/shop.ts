/** A service of log files, and the command line that asks it, each as a process. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const MAIN = join(import.meta.dir, "../../src/main.ts")

export const KEY = "k".repeat(32)

export interface Said {
  readonly out: string
  readonly err: string
  readonly code: number
}

export class Shop implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "applogs-shop-"))
  readonly socket = join(this.folder, "socket")
  origin = ""
  #service: Bun.Subprocess<"ignore", "pipe", "ignore"> | undefined
  readonly #others: Bun.Subprocess[] = []
  #seconds = 0

  /** Lines as an engine stores them, each a second behind the one before. */
  write(service: string, ...messages: string[]): void {
    const path = join(this.folder, "logs/shop", `${service}.log`)
    mkdirSync(join(this.folder, "logs/shop"), { recursive: true })
    const lines = messages.map((message) => {
      const at = new Date(Date.UTC(2026, 0, 1) + 1_000 * this.#seconds++).toISOString()
      return `${at} stdout F ${message}\n`
    })
    appendFileSync(path, lines.join(""))
  }

  /** Resolves once it listens. */
  async start(): Promise<void> {
    const where = ["--listen", "127.0.0.1:0", "--local-socket", this.socket]
    const what = ["--runtime", "files", "--files-root", join(this.folder, "logs")]
    const service = Bun.spawn([process.execPath, MAIN, "serve", ...where, ...what], {
      env: { APPLOGS_API_KEY: KEY },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    })
    this.#service = service
    let said = ""
    for await (const chunk of service.stdout) {
      said += new TextDecoder().decode(chunk)
      if (said.includes("local: ")) break
    }
    this.origin = /http:\S+/.exec(said)?.[0].replace(/\/$/, "") ?? ""
  }

  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#service?.kill(signal)
    await this.#service?.exited
  }

  /** A command that is still running, as `applogs <words>` would be. */
  spawn(words: readonly string[], env: Record<string, string> = {}): Command {
    return this.#run([process.execPath, MAIN, ...words], env)
  }

  /** As `applogs <words> | <reader>`: stdout is what the reader says, and the rest the command's own. */
  pipe(words: readonly string[], reader: string): Command {
    const shell = ["bash", "-c", `exec "$@" > >(${reader})`, "-"]
    return this.#run([...shell, process.execPath, MAIN, ...words], {
      PATH: process.env["PATH"] ?? "",
    })
  }

  /** All that `applogs <words>` says. */
  run(words: readonly string[], env: Record<string, string> = {}): Promise<Said> {
    return this.spawn(words, env).said()
  }

  #run(argv: readonly string[], env: Record<string, string>): Command {
    const command = new Command(argv, { APPLOGS_LOCAL_SOCKET: this.socket, ...env })
    this.#others.push(command.process)
    return command
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#others) process.kill("SIGKILL")
    await this.stop("SIGKILL")
    rmSync(this.folder, { recursive: true })
  }
}

export class Command {
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">
  readonly #ended: Promise<unknown>
  out = ""
  err = ""

  constructor(argv: readonly string[], env: Record<string, string>) {
    this.process = Bun.spawn([...argv], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const read = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void) => {
      const decoder = new TextDecoder()
      for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }))
    }
    this.#ended = Promise.all([
      read(this.process.stdout, (text) => (this.out += text)),
      read(this.process.stderr, (text) => (this.err += text)),
    ])
  }

  async said(): Promise<Said> {
    await this.#ended
    const code = await this.process.exited
    return { out: this.out, err: this.err, code }
  }

  end(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<Said> {
    this.process.kill(signal)
    return this.said()
  }
}
