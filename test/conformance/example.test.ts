/** The conformance suite for `plugins/example.ts`, and a node that writes what a kubelet's would. */
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadPlugin } from "../../plugins/index.ts"
import { now, shift } from "../../src/time.ts"
import { runtimeOptions } from "../runtime-options.ts"
import type { ConformanceHost, HostContainer, HostContainerSpec, Output } from "./host.ts"
import { openFiles } from "./open-files.ts"
import { testRuntime } from "./suite.ts"

class Node implements ConformanceHost {
  readonly patienceMs = 5_000
  readonly #root = mkdtempSync(join(tmpdir(), "applogs-node-"))
  readonly env = { KUBELET_LOGS: this.#root, CONTAINERD_TASKS: join(this.#root, "tasks") }
  #written = 0n

  async create(spec: HostContainerSpec = {}): Promise<HostContainer> {
    const { name = "web", output = [], exitCode } = spec
    const id = new Bun.CryptoHasher("sha256").update(Bun.randomUUIDv7()).digest("hex")
    const log = join(this.#root, `${id}.log`)
    const link = join(this.#root, `${name}-${id}.log`)
    const task = join(this.#root, "tasks", id)
    const begun = { stdout: "", stderr: "" }

    const start = async () => void mkdirSync(task, { recursive: true })
    const write = async (all: readonly Output[]) => {
      for (const { stream, text, at } of all) {
        const lines = (begun[stream] + Buffer.from(text).toString("latin1")).split("\n")
        begun[stream] = lines.pop() ?? ""
        // No two lines of the tests' own are to be the same in all they say.
        const stamp = () => at ?? shift(now(), this.#written++)
        const records = lines.map((line) => `${stamp()} ${stream} F ${line}\n`)
        appendFileSync(log, records.join(""), "latin1")
      }
    }
    const exit = async () => {
      if (begun.stdout) await write([{ stream: "stdout", text: "\n" }])
      if (begun.stderr) await write([{ stream: "stderr", text: "\n" }])
      rmSync(task, { recursive: true, force: true })
    }
    const restart = () => exit().then(start)
    const remove = () => exit().then(() => rmSync(link))
    const rotate = async () => {
      renameSync(log, `${log}.rotated`)
      appendFileSync(log, "")
    }

    appendFileSync(log, "")
    await start()
    symlinkSync(log, link)
    await write(output)
    if (exitCode !== undefined) await exit()
    return { id, name, start, write, exit, stop: exit, restart, remove, rotate }
  }

  open(): number {
    return openFiles(this.#root)
  }

  async down(): Promise<void> {}
  async up(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true })
  }
}

const plugin = await loadPlugin(join(import.meta.dir, "../../plugins/example.ts"))

testRuntime("the example plugin", {
  make: async () => {
    const host = new Node()
    return { host, runtime: plugin.create(runtimeOptions({ env: host.env })) }
  },
  gaps: {
    tty: "the log does not tell of it",
    labels: "the log does not tell of them",
    "created containers": "the log comes with the start",
    "exit codes": "the log does not tell of them",
    "unreadable logs": "each log is a file",
    outage: "nothing has to run for files to be read",
  },
})
