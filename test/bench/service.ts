/** The executable, serving a private runtime. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LogSource } from "../../src/runtime.ts"
import { ControlGroup, UNIT_BYTES } from "../real/control-group.ts"
import type { PrivateRuntime } from "../real/runtime.ts"

/** Nobody is held to it where it cannot be set. */
const isLimited = ControlGroup.isPossible()

export const MEMORY = isLimited ? "512 MB of memory, as its unit has it" : "no limit of memory"

export const BINARY = join(import.meta.dir, "../../dist/applogs")

export class Service implements AsyncDisposable {
  /** The listener that asks for no key. */
  readonly socket: string
  readonly #directory: string
  readonly #group: ControlGroup | undefined
  readonly #process: Bun.Subprocess<"ignore", "pipe", "ignore">

  private constructor(
    { flags }: Pick<PrivateRuntime, "flags">,
    source: LogSource,
    streams: number,
  ) {
    this.#directory = mkdtempSync(join(tmpdir(), "applogs-bench-"))
    this.socket = join(this.#directory, "applogs.sock")
    const engine = [...Object.entries(flags).flat(), "--log-source", source]
    const listeners = ["--listen", "127.0.0.1:0", "--local-socket", this.socket]
    const limits = ["--max-streams", String(streams)]
    this.#group = isLimited ? ControlGroup.make(UNIT_BYTES) : undefined
    const under = this.#group?.join ?? []
    this.#process = Bun.spawn([...under, BINARY, "serve", ...engine, ...listeners, ...limits], {
      // A runtime's program may need programs itself.
      env: { PATH: process.env["PATH"] ?? "" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      // A session of its own, as Docker has one here, and as a service manager gives to each service.
      detached: true,
    })
  }

  /** With room for so many streams. Resolves once it listens: that is when it says so. */
  static async start(
    runtime: Pick<PrivateRuntime, "flags">,
    source: LogSource,
    streams = 100,
  ): Promise<Service> {
    const service = new Service(runtime, source, streams)
    const { done } = await service.#process.stdout.getReader().read()
    if (done) throw new Error(`${BINARY} ended with code ${await service.#process.exited}`)
    return service
  }

  get pid(): number {
    return this.#process.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Not killed: it ends the programs that it has started.
    this.#process.kill("SIGTERM")
    await this.#process.exited
    rmSync(this.#directory, { recursive: true })
    await this.#group?.[Symbol.asyncDispose]()
  }
}

/** Milliseconds from the start of the executable to its listening, so many times. */
export async function measureStarts(runtime: PrivateRuntime, times: number): Promise<number[]> {
  const starts: number[] = []
  for (let time = 0; time < times; time++) {
    const begun = performance.now()
    await using service = await Service.start(runtime, "api")
    starts.push(performance.now() - begun)
    const health = await fetch("http://localhost/healthz", { unix: service.socket })
    if (!health.ok) throw new Error("it said that it listens, and does not answer")
  }
  return starts
}
