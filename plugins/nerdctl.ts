/** containerd: containers, changes and logs through nerdctl, and the log files that it writes. */
import { LinkedAbort } from "../src/abort.ts"
import { Failure } from "../src/errors.ts"
import { readLog } from "../src/logapi/read.ts"
import { markRuns } from "../src/logapi/runs.ts"
import type { RecordSource } from "../src/logapi/source.ts"
import { fileRecords, LogGone } from "../src/logfile/source.ts"
import { CRI, JSON_FILE_IN_PARTS } from "../src/records/format.ts"
import {
  type Batch,
  type Container,
  type ContainerState,
  type Guarantee,
  type Hint,
  type LogSource,
  type ReadOptions,
  RUNTIME_API,
  type Runtime,
  type RuntimeOptions,
  type RuntimePlugin,
  type Start,
} from "../src/runtime.ts"
import { type Instant, parseRfc3339 } from "../src/time.ts"
import { CommandError } from "./command.ts"
import { locateLog } from "./log-place.ts"
import { isContainerId, isGone, Nerdctl, toFailure } from "./nerdctl-client.ts"
import {
  INSPECT_FORMAT,
  type Inspection,
  LIST_FORMAT,
  type Listed,
  parseInspection,
  parseList,
  stateOf,
  toContainer,
} from "./nerdctl-containers.ts"
import { GUARANTEES } from "./nerdctl-guarantees.ts"
import { isLogging, startedAt } from "./nerdctl-logger.ts"
import { lineRules, nerdctlRecords } from "./nerdctl-logs.ts"
import { watchContainers } from "./nerdctl-watch.ts"
import { Turns } from "./turns.ts"

/** A list fails as a whole when a container goes away meanwhile. */
const LIST_TRIES = 5

/** Where a container's output is read. */
type Place =
  | { readonly file: string; readonly cri: boolean }
  | "api"
  | { readonly unreadable: Guarantee }

export const plugin: RuntimePlugin = {
  name: "nerdctl",
  api: RUNTIME_API,
  guarantees: Object.values(GUARANTEES),
  create: (options) => new NerdctlRuntime(options),
}

class NerdctlRuntime implements Runtime {
  readonly name = "nerdctl"
  readonly #nerdctl: Nerdctl
  readonly #logSource: LogSource
  readonly #maxLineBytes: number
  /** A process costs 30 ms, and every silent follower asks for one. */
  readonly #listing = new Turns(() => this.#listNow())
  /** Of the newest list. */
  #known: ReadonlyMap<string, Listed> = new Map()
  readonly #inspected = new Map<string, Inspection>()
  /** As they were told last. */
  #states = new Map<string, ContainerState>()

  constructor(options: RuntimeOptions) {
    this.#nerdctl = new Nerdctl(options)
    this.#logSource = options.logSource
    this.#maxLineBytes = options.maxLineBytes
  }

  async ping(signal: AbortSignal): Promise<{ version: string }> {
    await this.#nerdctl.ask("info", ["--mode=native", "--format={{.Namespace}}"], signal)
    return { version: await this.#nerdctl.version(signal) }
  }

  async list(signal: AbortSignal): Promise<readonly Container[]> {
    const listed = await this.#list(signal)
    for (const id of this.#inspected.keys()) if (!listed.has(id)) this.#inspected.delete(id)
    const containers: Container[] = []
    for (const each of listed.values()) {
      const guarantee = await this.#guarantee(each, signal)
      containers.push(toContainer(each, stateOf(each, this.#states.get(each.id)), guarantee))
    }
    this.#states = new Map(containers.map(({ id, state }) => [id, state]))
    return containers
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    using abort = new LinkedAbort(signal, this.#nerdctl.closed)
    const list = (inner: AbortSignal) => this.#list(inner)
    try {
      const hints = watchContainers(this.#nerdctl, list, () => this.#known, ready, abort.signal)
      for await (const hint of hints) {
        if (hint.change === "exited") this.#states.set(hint.id, "exited")
        yield hint
      }
    } catch (error) {
      if (!abort.signal.aborted) throw toFailure(error)
    }
  }

  async *read(
    container: Container,
    start: Start,
    options: ReadOptions,
  ): AsyncGenerator<Batch, void> {
    using abort = new LinkedAbort(options.signal, this.#nerdctl.closed)
    const { signal } = abort
    try {
      const source = await this.#open(container, signal)
      if (source && !signal.aborted) yield* readLog(source, start, { ...options, signal })
    } catch (error) {
      if (signal.aborted || error instanceof LogGone) return
      throw toFailure(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#nerdctl[Symbol.dispose]()
  }

  async #open({ id, name }: Container, signal: AbortSignal): Promise<RecordSource | undefined> {
    const listed = this.#known.get(id) ?? (await this.#list(signal)).get(id)
    const inspection = listed && (await this.#inspect(id, signal))
    if (!listed || !inspection) return undefined
    const place = await this.#locate(listed, signal)
    if (place !== "api" && "unreadable" in place) throw unreadable(name, place.unreadable)
    const rules = lineRules(inspection.terminal, this.#maxLineBytes)
    const running = (inner: AbortSignal) => this.#isWriting(id, inner)
    if (place === "api") {
      const source = nerdctlRecords(this.#nerdctl, id, rules, running)
      return markRuns(source, (inner) => this.#startedAt(id, inner))
    }
    const format = place.cri ? CRI : JSON_FILE_IN_PARTS
    const source = fileRecords({ path: place.file, format, rotation: "time", rules, running })
    return markRuns(source, () => startedAt(place.file))
  }

  /** Behind the end of the container there may still come what it wrote before. */
  async #isWriting(id: string, signal: AbortSignal): Promise<boolean> {
    const listed = (await this.#list(signal)).get(id)
    if (!listed) return false
    const { state, log } = listed
    if (state === "running" || state === "paused") return true
    return log !== "kubernetes" && "file" in log && (await isLogging(log.file)) === true
  }

  async #startedAt(id: string, signal: AbortSignal): Promise<Instant | undefined> {
    const said = await this.#inspectOnly(
      id,
      ["--mode=dockercompat", "--format={{.State.StartedAt}}"],
      signal,
    )
    return parseRfc3339(said?.trim() ?? "")
  }

  async #guarantee(listed: Listed, signal: AbortSignal): Promise<Guarantee> {
    const place = await this.#locate(listed, signal)
    if (place === "api") return GUARANTEES.api
    if ("unreadable" in place) return place.unreadable
    const isRunning = listed.state === "running" && !place.cri
    if (isRunning && (await isLogging(place.file)) === false) return GUARANTEES.orphaned
    return GUARANTEES.file
  }

  async #locate(listed: Listed, signal: AbortSignal): Promise<Place> {
    const { id, log } = listed
    if (log !== "kubernetes" && "unreadable" in log) return log
    if (this.#logSource === "api") return "api"
    const cri = log === "kubernetes"
    const file = cri ? (await this.#inspect(id, signal))?.logPath : log.file
    const place = await locateLog(this.#logSource, file)
    if (place === "none") return { unreadable: GUARANTEES.noFile }
    return place === "api" ? "api" : { file: place.file, cri }
  }

  async #inspect(id: string, signal: AbortSignal): Promise<Inspection | undefined> {
    const known = this.#inspected.get(id)
    if (known) return known
    const said = await this.#inspectOnly(
      id,
      ["--mode=native", `--format=${INSPECT_FORMAT}`],
      signal,
    )
    if (said === undefined) return undefined
    const inspection = parseInspection(said)
    this.#inspected.set(id, inspection)
    return inspection
  }

  /** `undefined`: there is no such container. */
  async #inspectOnly(
    id: string,
    flags: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (!isContainerId(id)) return undefined
    try {
      return await this.#nerdctl.ask("inspect", [...flags, id], signal, isGone)
    } catch (error) {
      if (error instanceof CommandError) return undefined
      throw error
    }
  }

  /** As it is after the call. */
  #list(signal: AbortSignal): Promise<ReadonlyMap<string, Listed>> {
    return this.#listing.take(signal)
  }

  async #listNow(): Promise<ReadonlyMap<string, Listed>> {
    const args = ["--all", "--no-trunc", `--format=${LIST_FORMAT}`]
    for (let tries = 1; ; tries += 1) {
      try {
        const isExpected = (error: CommandError) => tries < LIST_TRIES && isGone(error)
        const said = await this.#nerdctl.ask("ps", args, this.#nerdctl.closed, isExpected)
        this.#known = parseList(said)
        return this.#known
      } catch (error) {
        if (!(error instanceof CommandError)) throw error
      }
    }
  }
}

function unreadable(name: string, { reason }: Guarantee): Failure {
  const message = `the log of container ${name} cannot be read: ${reason}; use the logging driver json-file`
  return new Failure("log_driver_unreadable", message)
}
