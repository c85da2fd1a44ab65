/** Makes things happen in log files, for the conformance suite: without an engine, and with its formats or none. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { idOf } from "../../plugins/files-list.ts"
import type { StreamName } from "../../src/runtime.ts"
import { type Instant, now, shift } from "../../src/time.ts"
import type { ConformanceHost, HostContainer, HostContainerSpec, Output } from "./host.ts"

export type WrittenAs = "plain" | "json-file" | "cri"

/** Bytes, one a char. */
interface Piece {
  readonly stream: StreamName
  readonly text: string
  readonly at: Instant
  readonly isEnd: boolean
}

/** At which size lines are cut. */
const PART_BYTES = 16_384

const WRITERS: Readonly<Record<Exclude<WrittenAs, "plain">, (piece: Piece) => string>> = {
  "json-file": ({ stream, text, at, isEnd }) => {
    const log = Buffer.from(isEnd ? `${text}\n` : text, "latin1").toString("utf8")
    return Buffer.from(`${JSON.stringify({ log, stream, time: at })}\n`).toString("latin1")
  },
  cri: ({ stream, text, at, isEnd }) => `${at} ${stream} ${isEnd ? "F" : "P"} ${text}\n`,
}

export class FilesHost implements ConformanceHost {
  readonly patienceMs = 10_000
  readonly root = mkdtempSync(join(tmpdir(), "applogs-files-"))
  readonly #writtenAs: WrittenAs
  #count = 0
  #last = now()

  constructor(writtenAs: WrittenAs) {
    this.#writtenAs = writtenAs
  }

  clock(): Instant {
    const time = now()
    this.#last = time > this.#last ? time : shift(this.#last, 1n)
    return this.#last
  }

  async create({ output = [], exitCode }: HostContainerSpec = {}): Promise<HostContainer> {
    const container = new FilesContainer(this, `app${(this.#count += 1)}`, this.#writtenAs)
    await container.write(output)
    if (exitCode !== undefined) await container.exit()
    return container
  }

  down(): Promise<void> {
    throw new Error("files are always there")
  }

  up(): Promise<void> {
    throw new Error("files are always there")
  }

  /** Files that are held open. */
  open(): number {
    const links = readdirSync("/proc/self/fd").map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`)
      } catch {
        return ""
      }
    })
    return links.filter((link) => link.startsWith(this.root)).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.root, { recursive: true, force: true })
  }
}

class FilesContainer implements HostContainer {
  readonly id: string
  readonly name: string
  readonly #host: FilesHost
  readonly #directory: string
  readonly #writtenAs: WrittenAs
  /** What has no line end yet. An engine's formats hold lines. */
  readonly #unended: Record<StreamName, string> = { stdout: "", stderr: "" }

  constructor(host: FilesHost, app: string, writtenAs: WrittenAs) {
    this.id = idOf({ app, service: "web" })
    this.name = `${app}-web`
    this.#host = host
    this.#directory = join(host.root, app)
    this.#writtenAs = writtenAs
    mkdirSync(this.#directory)
    writeFileSync(this.#path(0), "")
  }

  async write(output: readonly Output[]): Promise<void> {
    for (const { stream, text, at } of output) {
      const bytes = Buffer.from(text).toString("latin1")
      if (this.#writtenAs === "plain") this.#append(bytes)
      else this.#writeLines(stream, bytes, at, WRITERS[this.#writtenAs])
    }
  }

  async exit(): Promise<void> {
    for (const stream of ["stdout", "stderr"] as const) {
      const rest = this.#unended[stream]
      this.#unended[stream] = ""
      const at = this.#host.clock()
      // CRI says of no line that it lacks its end.
      const isEnd = this.#writtenAs === "cri"
      if (rest !== "" && this.#writtenAs !== "plain") {
        this.#append(WRITERS[this.#writtenAs]({ stream, text: rest, at, isEnd }))
      }
    }
    let oldest = 0
    while (existsSync(this.#path(oldest + 1))) oldest++
    for (let age = oldest; age >= 0; age--) renameSync(this.#path(age), this.#path(age + 1))
  }

  stop(): Promise<void> {
    return this.exit()
  }

  async start(): Promise<void> {
    writeFileSync(this.#path(0), "", { flag: "wx" })
  }

  async restart(): Promise<void> {
    await this.exit()
    await this.start()
  }

  async remove(): Promise<void> {
    rmSync(this.#directory, { recursive: true })
  }

  async rotate(): Promise<void> {
    writeFileSync(`${this.#directory}/new`, "")
    renameSync(`${this.#directory}/new`, this.#path(0))
  }

  #writeLines(
    stream: StreamName,
    bytes: string,
    time: Instant | undefined,
    writer: (piece: Piece) => string,
  ): void {
    const lines = (this.#unended[stream] + bytes).split("\n")
    this.#unended[stream] = lines.pop() ?? ""
    let written = ""
    for (const line of lines) {
      const at = time ?? this.#host.clock()
      for (let from = 0; from <= line.length; from += PART_BYTES) {
        const text = line.slice(from, from + PART_BYTES)
        written += writer({ stream, text, at, isEnd: text.length < PART_BYTES })
      }
    }
    this.#append(written)
  }

  #append(bytes: string): void {
    appendFileSync(this.#path(0), bytes, "latin1")
  }

  #path(age: number): string {
    return join(this.#directory, age === 0 ? "web.log" : `web.log.${age}`)
  }
}
