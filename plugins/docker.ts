/** Docker: containers, changes and logs over the Engine's socket. */
import { basename } from "node:path"
import type { RecordSource } from "../src/logapi/source.ts"
import { fileRecords } from "../src/logfile/source.ts"
import { JSON_FILE } from "../src/records/format.ts"
import {
  type Batch,
  type Container,
  type Hint,
  type LogSource,
  type ReadOptions,
  RUNTIME_API,
  type Runtime,
  type RuntimeOptions,
  type RuntimePlugin,
  type Start,
} from "../src/runtime.ts"
import {
  GUARANTEES,
  type Inspection,
  isComplete,
  isStarted,
  parseInspection,
  parseList,
  toContainer,
} from "./docker-containers.ts"
import { dockerRecords, lineRules } from "./docker-logs.ts"
import { EngineError } from "./engine.ts"
import { EngineClient } from "./engine-client.ts"
import { Inspections } from "./inspections.ts"
import { type LogPlace, locateLog } from "./log-place.ts"

/** The newest API version that this plugin was written for. */
const API = [1, 51] as const

export const plugin: RuntimePlugin = {
  name: "docker",
  api: RUNTIME_API,
  guarantees: Object.values(GUARANTEES),
  create: (options) => new DockerRuntime(options),
}

class DockerRuntime implements Runtime {
  readonly name = "docker"
  readonly #client: EngineClient
  readonly #logSource: LogSource
  readonly #maxLineBytes: number
  readonly #inspections = new Inspections((id, signal) => this.#inspect(id, signal), isComplete)
  #api: string | undefined

  constructor({ dockerSocket, logSource, maxLineBytes }: RuntimeOptions) {
    this.#client = new EngineClient(this.name, dockerSocket, "json-file or local")
    this.#logSource = logSource
    this.#maxLineBytes = maxLineBytes
  }

  async ping(signal: AbortSignal): Promise<{ version: string }> {
    if (this.#api !== undefined) await this.#client.ask({ endpoint: "/_ping", signal })
    return { version: `API ${this.#api ?? (await this.#negotiate(signal))}` }
  }

  async list(signal: AbortSignal): Promise<readonly Container[]> {
    if (this.#api === undefined) await this.#negotiate(signal)
    const query = { all: "1" }
    const { text } = await this.#client.ask({ endpoint: "/containers/json", query, signal })
    const listed = parseList(text)
    // The engine inspects no container while it starts it, which may take seconds: nobody waits for that.
    const started = listed.filter(isStarted).map(({ Id }) => Id)
    await this.#inspections.update(started, signal)
    const containers: Container[] = []
    for (const container of listed) {
      const inspection = this.#inspections.get(container.Id)
      if (inspection) {
        const place = await this.#locate(container.Id, inspection)
        containers.push(toContainer(container, inspection, place))
        // Else it was removed between the list and the inspection.
      } else if (!isStarted(container)) containers.push(toContainer(container))
    }
    return containers
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    await this.#negotiate(signal)
    yield* this.#client.watch(ready, signal)
  }

  read(container: Container, start: Start, options: ReadOptions): AsyncGenerator<Batch, void> {
    const open = (signal: AbortSignal) => this.#open(container, signal)
    return this.#client.read(container, start, options, open)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]()
  }

  async #open(container: Container, signal: AbortSignal): Promise<RecordSource | undefined> {
    const { id } = container
    const known = this.#inspections.get(id)
    const inspection = known && isComplete(known) ? known : await this.#inspect(id, signal)
    if (!inspection) return undefined
    const place = await this.#locate(id, inspection)
    if (inspection.driver === "none" || place === "none") throw this.#client.unreadable(container)
    const running = async () => (await this.#inspect(id, signal))?.running === true
    const rules = lineRules(inspection.tty, this.#maxLineBytes)
    if (place !== "api") {
      const path = place.file
      return fileRecords({ path, format: JSON_FILE, rules, rotation: "number", running })
    }
    const api = this.#api ?? (await this.#negotiate(signal))
    return dockerRecords(this.#client.engine, id, rules, api, running)
  }

  /** The path is the engine's word. What is not called as it calls its own files is not opened. */
  async #locate(id: string, { driver, logPath }: Inspection): Promise<LogPlace> {
    // Before the first start there is neither a file nor anything in it.
    if (!isComplete({ driver, logPath })) return "api"
    const isOwn = driver === "json-file" && basename(logPath) === `${id}-json.log`
    return await locateLog(this.#logSource, isOwn ? logPath : undefined)
  }

  /** Agrees on the API version: the engine's own or the newest one known here, whichever is older. */
  async #negotiate(signal: AbortSignal): Promise<string> {
    const { engine } = this.#client
    engine.version = undefined
    const { headers } = await this.#client.ask({ endpoint: "/_ping", signal })
    const api = String(headers["api-version"] ?? "1.24")
    const [major = 0, minor = 0] = api.split(".").map(Number)
    this.#api = major === API[0] && minor <= API[1] ? api : API.join(".")
    engine.version = this.#api
    try {
      await engine.text({ endpoint: "/_ping", signal })
    } catch (error) {
      // An engine that has given up this version: its newest one is the best that can be had.
      if (!(error instanceof EngineError)) throw this.#client.toFailure(error)
      engine.version = undefined
    }
    return this.#api
  }

  async #inspect(id: string, signal: AbortSignal): Promise<Inspection | undefined> {
    const text = await this.#client.askAbout({ endpoint: "/containers/{id}/json", id, signal })
    return text === undefined ? undefined : parseInspection(text)
  }
}
