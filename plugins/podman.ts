/** Podman: containers, pods, changes and logs over the socket of its service. */
import { stat } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { Failure } from "../src/errors.ts"
import { markRuns } from "../src/logapi/runs.ts"
import type { RecordSource } from "../src/logapi/source.ts"
import type { LineRules } from "../src/records/lines.ts"
import { fileRecords } from "../src/logfile/source.ts"
import { CRI } from "../src/records/format.ts"
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
import { EngineClient } from "./engine-client.ts"
import { Inspections } from "./inspections.ts"
import { Journal } from "./journal.ts"
import { locateLog } from "./log-place.ts"
import {
  GUARANTEES,
  type Inspection,
  isFile,
  isStarted,
  isUnreadable,
  type Place,
  parseInspection,
  parseList,
  settleMs,
  toContainer,
} from "./podman-containers.ts"
import { lineRules, podmanRecords } from "./podman-logs.ts"

export const plugin: RuntimePlugin = {
  name: "podman",
  api: RUNTIME_API,
  guarantees: Object.values(GUARANTEES),
  create: (options) => new PodmanRuntime(options),
}

class PodmanRuntime implements Runtime {
  readonly name = "podman"
  readonly #client: EngineClient
  readonly #socket: string
  readonly #journal: Journal
  readonly #logSource: LogSource
  readonly #maxLineBytes: number
  readonly #inspections = new Inspections((id, signal) => this.#inspect(id, signal))

  constructor({ podmanSocket, logSource, maxLineBytes, env }: RuntimeOptions) {
    this.#socket = podmanSocket
    this.#journal = new Journal(env)
    this.#client = new EngineClient(this.name, podmanSocket, "k8s-file or journald")
    this.#logSource = logSource
    this.#maxLineBytes = maxLineBytes
  }

  async ping(signal: AbortSignal): Promise<{ version: string }> {
    const { headers } = await this.#client.ask({ endpoint: "/_ping", signal })
    const version = headers["libpod-api-version"]
    if (typeof version === "string") return { version }
    const message = "podman: another engine answers at its socket: use --runtime docker for it"
    throw new Failure("runtime_unavailable", message, { retryAfter: 5 })
  }

  async list(signal: AbortSignal): Promise<readonly Container[]> {
    const { version } = await this.ping(signal)
    const endpoint = "/v4.0.0/libpod/containers/json"
    const query = { all: "true", pod: "true" }
    const listed = parseList((await this.#client.ask({ endpoint, query, signal })).text)
    // Podman answers no question about a container while it starts it: nobody waits for that.
    const started = listed.filter(isStarted).map(({ Id }) => Id)
    await this.#inspections.update(started, signal)
    const containers: Container[] = []
    for (const container of listed) {
      const inspection = this.#inspections.get(container.Id)
      if (inspection) {
        const place = await this.#locate(container.Id, inspection)
        containers.push(toContainer(container, version, inspection, place))
        // Else it was removed between the list and the inspection.
      } else if (!isStarted(container)) containers.push(toContainer(container, version))
    }
    return containers
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    await this.ping(signal)
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
    const inspection = await this.#inspect(id, signal)
    if (!inspection) return undefined
    // Before the first start there is neither a file nor anything in it.
    const place = inspection.started ? await this.#locate(id, inspection) : "api"
    if (isUnreadable(inspection) || place === "none") throw this.#client.unreadable(container)
    const running = async () => (await this.#inspect(id, signal))?.running === true
    const rules = lineRules(inspection.tty, this.#maxLineBytes)
    // The API's times, before 5.8 to the second, do not tell runs apart: their unfinished lines go on there.
    if (place === "api") return podmanRecords(this.#client.engine, id, rules, running)
    const border = async () => (await this.#inspect(id, signal))?.runBorder
    if (place === "journal") return markRuns(await this.#journalOf(id, rules, signal), border)
    const file = { path: place.file, format: CRI, rules, rotation: "replace", running } as const
    return markRuns(fileRecords(file), border)
  }

  /**
   * The path is Podman's word. What is not called as it calls its own files is not opened, also where the container
   * was told to log to another file: that is left to the API.
   */
  async #locate(id: string, inspection: Inspection): Promise<Place> {
    const { driver, logPath } = inspection
    if (driver === "journald") return await this.#locateJournal()
    const isOwn = isFile(inspection) && logPath.endsWith(`-containers/${id}/userdata/ctr.log`)
    return await locateLog(this.#logSource, isOwn ? logPath : undefined)
  }

  async #locateJournal(): Promise<Place> {
    if (this.#logSource === "api") return "api"
    if (await this.#journal.isReadable(await this.#user())) return "journal"
    return this.#logSource === "file" ? "none" : "api"
  }

  /** Whose Podman it is, and so whose the containers' monitors are. */
  async #user(): Promise<number> {
    return (await stat(this.#socket)).uid
  }

  async #journalOf(id: string, rules: LineRules, signal: AbortSignal): Promise<RecordSource> {
    const running = async () => {
      const inspection = await this.#inspect(id, signal)
      if (!inspection || inspection.running) return inspection !== undefined
      await delay(settleMs(inspection), undefined, { signal }).catch(() => {})
      return false
    }
    return this.#journal.records(id, await this.#user(), { rules, running })
  }

  async #inspect(id: string, signal: AbortSignal): Promise<Inspection | undefined> {
    const endpoint = "/v4.0.0/libpod/containers/{id}/json"
    const text = await this.#client.askAbout({ endpoint, id, signal })
    return text === undefined ? undefined : parseInspection(text)
  }
}
