/**
 * Files: logs without an engine. Each `<root>/<app>/<service>.log` is a container, and so are the files that were
 * rotated away from it. It runs while the file is there.
 */
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { LinkedAbort } from "../src/abort.ts"
import { Failure } from "../src/errors.ts"
import { readLog } from "../src/logapi/read.ts"
import { fileRecords, LogGone } from "../src/logfile/source.ts"
import { obstacleOf } from "../src/logfile/readable.ts"
import {
  type Batch,
  type Container,
  type Hint,
  type ReadOptions,
  RUNTIME_API,
  type Runtime,
  type RuntimePlugin,
  type Start,
} from "../src/runtime.ts"
import { UsageError } from "../src/usage.ts"
import { lineRules, linesAt } from "./files-lines.ts"
import { GUARANTEES, toContainer } from "./files-containers.ts"
import { findApps, findLogs, idOf, isLogName, type LogName, pathOf } from "./files-list.ts"
import { beginningOf } from "./files-start.ts"
import { watchLogs } from "./files-watch.ts"

export const plugin: RuntimePlugin = {
  name: "files",
  api: RUNTIME_API,
  guarantees: Object.values(GUARANTEES),
  create({ filesRoot, maxLineBytes }) {
    if (filesRoot !== undefined) return new FilesRuntime(filesRoot, maxLineBytes)
    throw new UsageError(
      "--files-root",
      "the runtime files wants a directory of <app>/<service>.log",
    )
  },
}

class FilesRuntime implements Runtime {
  readonly name = "files"
  readonly #root: string
  readonly #maxLineBytes: number
  readonly #closed = new AbortController()

  constructor(root: string, maxLineBytes: number) {
    this.#root = root
    this.#maxLineBytes = maxLineBytes
  }

  async ping(): Promise<{ version: string }> {
    await this.#orFailure(findApps(this.#root))
    return { version: "plain files" }
  }

  async list(): Promise<readonly Container[]> {
    const containers: Container[] = []
    for (const app of await this.#orFailure(findApps(this.#root))) {
      for (const log of await findLogs(this.#root, app)) {
        const container = await toContainer(log)
        if (container) containers.push(container)
      }
    }
    return containers
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    using abort = new LinkedAbort(signal, this.#closed.signal)
    try {
      yield* watchLogs(this.#root, ready, abort.signal)
    } catch (error) {
      throw this.#toFailure(error)
    }
  }

  async *read(
    container: Container,
    start: Start,
    options: ReadOptions,
  ): AsyncGenerator<Batch, void> {
    using abort = new LinkedAbort(options.signal, this.#closed.signal)
    const { signal } = abort
    const name = nameOf(container)
    if (!name || signal.aborted) return
    const path = pathOf(this.#root, name)
    if (!(await this.#isReadable(name, path))) return
    const running = () => isFile(path)
    const source = fileRecords({
      path,
      formatAt: linesAt,
      rules: lineRules(this.#maxLineBytes),
      rotation: "number",
      running,
    })
    try {
      const { start: from, gap } = await beginningOf(path, start)
      let isFirst = true
      for await (const batch of readLog(source, from, { ...options, signal })) {
        yield isFirst && gap ? { ...batch, gap } : batch
        isFirst = false
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof LogGone)) throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
  }

  /** False: it is gone. Throws for what is there, and not to be had. */
  async #isReadable(name: LogName, path: string): Promise<boolean> {
    const directory = await lstat(join(this.#root, name.app)).catch(() => undefined)
    // A link in its place would lead out of the root.
    if (!directory?.isDirectory()) return false
    const obstacle = await obstacleOf(path)
    if (obstacle === undefined || obstacle === "ENOENT") return true
    const message = `${path} cannot be read (${obstacle}): let the user of applogs read it`
    throw new Failure("log_driver_unreadable", message)
  }

  async #orFailure<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise
    } catch (error) {
      throw this.#toFailure(error)
    }
  }

  #toFailure(error: unknown): Failure {
    const said = error instanceof Error ? error.message : String(error)
    const message = `files: the directory of --files-root cannot be read: ${said}`
    return new Failure("runtime_unavailable", message, { retryAfter: 5, cause: error })
  }
}

/** The id says the place: of a container that was not listed here there is none. */
function nameOf({ id, labels }: Container): LogName | undefined {
  const name = { app: labels["applogs.app"] ?? "", service: labels["applogs.service"] ?? "" }
  return isLogName(name) && idOf(name) === id ? name : undefined
}

function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (file) => file.isFile(),
    () => false,
  )
}
