/** Docker: containers, changes and logs over the Engine's socket. */
import { access, constants } from "node:fs/promises"
import { basename } from "node:path"
import { LinkedAbort } from "../src/abort.ts"
import { Failure } from "../src/errors.ts"
import { readLog } from "../src/logapi/read.ts"
import type { RecordSource } from "../src/logapi/source.ts"
import { fileRecords, LogGone } from "../src/logfile/source.ts"
import { parseJsonFile } from "../src/records/json-file.ts"
import {
  type Batch,
  type Container,
  type Hint,
  type LogSource,
  type ReadOptions,
  RUNTIME_API,
  type Runtime,
  type RuntimePlugin,
  type Start,
} from "../src/runtime.ts"
import { now, shift, toUnixSeconds } from "../src/time.ts"
import {
  GUARANTEES,
  type Inspection,
  isComplete,
  isStarted,
  type LogPlace,
  parseInspection,
  parseList,
  toContainer,
} from "./docker-containers.ts"
import { EVENTS, parseEvents } from "./docker-events.ts"
import { dockerRecords, lineRules } from "./docker-logs.ts"
import { Engine, EngineError } from "./engine.ts"

/** The newest API version that this plugin was written for. */
const API = [1, 51] as const

/** So many inspections at once: a host may have hundreds of containers when applogs starts. */
const INSPECTIONS = 16

export const plugin: RuntimePlugin = {
  name: "docker",
  api: RUNTIME_API,
  guarantees: Object.values(GUARANTEES),
  create: ({ dockerSocket, logSource }) => new DockerRuntime(dockerSocket, logSource),
}

class DockerRuntime implements Runtime {
  readonly name = "docker"
  readonly #engine: Engine
  readonly #closed = new AbortController()
  /** What an inspection says and no change of state alters, by container id. */
  #known = new Map<string, Inspection>()
  #api: string | undefined
  readonly #logSource: LogSource

  constructor(socketPath: string, logSource: LogSource) {
    this.#engine = new Engine(socketPath)
    this.#logSource = logSource
  }

  async ping(signal: AbortSignal): Promise<{ version: string }> {
    if (this.#api !== undefined) await this.#get({ endpoint: "/_ping", signal })
    return { version: `API ${this.#api ?? (await this.#negotiate(signal))}` }
  }

  async list(signal: AbortSignal): Promise<readonly Container[]> {
    if (this.#api === undefined) await this.#negotiate(signal)
    const query = { all: "1" }
    const { text } = await this.#get({ endpoint: "/containers/json", query, signal })
    const listed = parseList(text)
    const known = new Map<string, Inspection>()
    // The engine inspects no container while it starts it, which may take seconds: nobody waits for that.
    const unknown = listed.filter((each) => {
      const before = this.#known.get(each.Id)
      return isStarted(each) && !(before && isComplete(before))
    })
    const next = unknown.values()
    await Promise.all(
      Array.from({ length: INSPECTIONS }, async () => {
        for (const { Id } of next) {
          const inspection = await this.#inspect(Id, signal)
          if (inspection) this.#known.set(Id, inspection)
        }
      }),
    )
    const containers: Container[] = []
    for (const container of listed) {
      const inspection = this.#known.get(container.Id)
      if (inspection) {
        known.set(container.Id, inspection)
        const place = await this.#locate(container.Id, inspection)
        containers.push(toContainer(container, inspection, place))
        // Else it was removed between the list and the inspection.
      } else if (!isStarted(container)) containers.push(toContainer(container))
    }
    this.#known = known
    return containers
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    await this.#negotiate(signal)
    // The engine answers a moment before it subscribes: events of that moment come from its memory.
    const since = toUnixSeconds(shift(now(), -1_000_000_000n))
    const query = { filters: JSON.stringify(EVENTS), since }
    using abort = new LinkedAbort(signal, this.#closed.signal)
    try {
      const { body } = await this.#engine.stream({
        endpoint: "/events",
        query,
        signal: abort.signal,
      })
      ready()
      yield* parseEvents(body, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) throw this.#toFailure(error)
    }
  }

  async *read(
    container: Container,
    start: Start,
    options: ReadOptions,
  ): AsyncGenerator<Batch, void> {
    using abort = new LinkedAbort(options.signal, this.#closed.signal)
    const { signal } = abort
    try {
      const source = await this.#open(container, signal)
      if (source && !signal.aborted) yield* readLog(source, start, { ...options, signal })
    } catch (error) {
      if (signal.aborted || isGone(error) || error instanceof LogGone) return
      if (error instanceof EngineError && isUnreadable(error)) throw unreadable(container, error)
      throw this.#toFailure(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
  }

  async #open(container: Container, signal: AbortSignal): Promise<RecordSource | undefined> {
    const { id } = container
    const known = this.#known.get(id)
    const inspection = known && isComplete(known) ? known : await this.#inspect(id, signal)
    if (!inspection) return undefined
    const place = await this.#locate(id, inspection)
    if (inspection.driver === "none" || place === "none") throw unreadable(container)
    const running = async () => (await this.#inspect(id, signal))?.running === true
    const { tty } = inspection
    if (place !== "api") {
      const rules = lineRules(tty)
      return fileRecords({ path: place.file, parse: parseJsonFile, rules, running })
    }
    const api = this.#api ?? (await this.#negotiate(signal))
    return dockerRecords(this.#engine, id, tty, api, running)
  }

  /** The path is the engine's word. What is not called as it calls its own files is not opened. */
  async #locate(id: string, { driver, logPath }: Inspection): Promise<LogPlace> {
    // Before the first start there is neither a file nor anything in it.
    if (this.#logSource === "api" || !isComplete({ driver, logPath })) return "api"
    const isForced = this.#logSource === "file"
    if (driver === "json-file" && basename(logPath) === `${id}-json.log`) {
      const obstacle = await access(logPath, constants.R_OK).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code,
      )
      // A file that is not there may be elsewhere for the engine; or its container is gone.
      if (obstacle === undefined || (isForced && obstacle === "ENOENT")) return { file: logPath }
    }
    return isForced ? "none" : "api"
  }

  /** Agrees on the API version: the engine's own or the newest one known here, whichever is older. */
  async #negotiate(signal: AbortSignal): Promise<string> {
    this.#engine.version = undefined
    const { headers } = await this.#get({ endpoint: "/_ping", signal })
    const api = String(headers["api-version"] ?? "1.24")
    const [major = 0, minor = 0] = api.split(".").map(Number)
    this.#api = major === API[0] && minor <= API[1] ? api : API.join(".")
    this.#engine.version = this.#api
    try {
      await this.#engine.text({ endpoint: "/_ping", signal })
    } catch (error) {
      // An engine that has given up this version: its newest one is the best that can be had.
      if (!(error instanceof EngineError)) throw this.#toFailure(error)
      this.#engine.version = undefined
    }
    return this.#api
  }

  async #inspect(id: string, signal: AbortSignal): Promise<Inspection | undefined> {
    using abort = new LinkedAbort(signal, this.#closed.signal)
    const endpoint = "/containers/{id}/json"
    try {
      const { text } = await this.#engine.text({ endpoint, id, signal: abort.signal })
      return parseInspection(text)
    } catch (error) {
      if (isGone(error) || signal.aborted) return undefined
      throw this.#toFailure(error)
    }
  }

  async #get(request: Parameters<Engine["text"]>[0]) {
    using abort = new LinkedAbort(request.signal, this.#closed.signal)
    try {
      return await this.#engine.text({ ...request, signal: abort.signal })
    } catch (error) {
      throw this.#toFailure(error)
    }
  }

  #toFailure(error: unknown): Failure {
    if (error instanceof Failure) return error
    const said = error instanceof Error ? error.message : String(error)
    return new Failure("runtime_unavailable", `docker: ${said}`, { retryAfter: 5, cause: error })
  }
}

/** 404: no such container. 409: it is being removed. */
function isGone(error: unknown): boolean {
  return error instanceof EngineError && (error.status === 404 || error.status === 409)
}

function isUnreadable(error: EngineError): boolean {
  return error.status === 501 || error.message.includes("does not support reading")
}

function unreadable(container: Container, cause?: unknown): Failure {
  const message = `the log of container ${container.name} cannot be read: use the logging driver json-file or local`
  return new Failure("log_driver_unreadable", message, { cause })
}
