/** A plugin: the containers of a Kubernetes node, by the log files that its kubelet keeps for them. */
import { existsSync, lstatSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Batch, Container, Line, Runtime, RuntimeOptions } from "../src/runtime.ts"
import type { RuntimePlugin, Start } from "../src/runtime.ts"
import type { Instant } from "../src/time.ts"

/** `<pod>_<namespace>_<container>-<id>.log` */
const LINK = /^(.+)-([0-9a-f]{64})\.log$/
/** `P` is a piece of a line that goes on. */
const RECORD = /^(\d{4}-\S+) (stdout|stderr) ([FP]) (.*)$/s
/** More than any record has. */
const CHUNK = 2 ** 21

const reason = "a rotation is told as a gap, also when nothing was lost by it"
const guarantee = { level: "best-effort", source: "file", reason } as const
const guarantees = [{ ...guarantee, logs: "all" }]

export const plugin: RuntimePlugin = { name: "kubelet", api: 1, guarantees, create }

function create({ env }: RuntimeOptions): Runtime {
  const logs = env["KUBELET_LOGS"] ?? "/var/log/containers"
  const tasks = env["CONTAINERD_TASKS"] ?? "/run/containerd/io.containerd.runtime.v2.task/k8s.io"
  let isClosed = false
  const isRunning = (id: string) => existsSync(join(tasks, id))
  const pause = (signal: AbortSignal) => sleep(100, !isClosed, { signal }).catch(() => false)

  async function list(): Promise<Container[]> {
    const files = await readdir(logs).catch((error: Error) => {
      throw Object.assign(error, { code: "runtime_unavailable" })
    })
    return files.flatMap((file) => {
      const [, name, id] = LINK.exec(file) ?? []
      const link = lstatSync(join(logs, file), { throwIfNoEntry: false })
      if (!name || !id || !link) return []
      const [, app = name, service = name] = name.split("_")
      const labels = { "applogs.app": app, "applogs.service": service }
      const state = isRunning(id) ? "running" : "exited"
      return { id, name, labels, state, createdAt: toInstant(link.mtime.toISOString()), guarantee }
    })
  }

  return {
    name: "kubelet",
    list,
    ping: async () => ({ version: `${(await list()).length} containers` }),
    async *watch(ready, signal) {
      const look = async () => new Map((await list()).map(({ id, state }) => [id, state]))
      let before = await look()
      ready()
      for (; await pause(signal);) {
        const after = await look()
        const at = toInstant(new Date().toISOString())
        for (const id of before.keys()) if (!after.has(id)) yield { id, change: "removed", at }
        for (const [id, state] of after) {
          if (!before.has(id)) yield { id, change: "created", at }
          if (state === (before.get(id) ?? "exited")) continue
          yield { id, change: state === "running" ? "started" : "exited", at }
        }
        before = after
      }
    },
    async *read({ id, name }, start, { follow, until, signal }) {
      const path = join(logs, `${name}-${id}.log`)
      let position = ""
      let isOver = false
      for (let batch = await seek(path, start, until); batch && !signal.aborted;) {
        if (batch.position !== position) yield batch
        else if (isOver || !(await pause(signal))) return
        position = batch.position
        // Asked before the read, which then reads all that was written before the end.
        isOver = !follow || !isRunning(id)
        // While it is rotated, a file that is written to has no name.
        const nothing = isOver ? undefined : { lines: [], position }
        batch = (await readOn(path, position, until)) ?? nothing
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
    },
  }
}

async function seek(path: string, start: Start, until?: Instant): Promise<Batch | undefined> {
  if (start.from === "position") return readOn(path, start.position, until)
  let place: Batch | undefined = { lines: [], position: `${await idOf(path)}-0` }
  const last: Line[] = []
  // A kubelet rotates its files at 10 MiB: they can be read from the beginning to find a place.
  while (place && start.from !== "beginning") {
    const { lines, position }: Batch = place
    const first = lines.findIndex((line) => start.from === "time" && line.timestamp > start.after)
    if (first >= 0) return { ...place, lines: lines.slice(first) }
    if (start.from === "last") last.push(...lines.filter(start.where))
    if (start.from === "last") last.splice(0, last.length - start.lines)
    place = await readOn(path, position, until)
    if (place?.position === position) return { lines: last, position }
  }
  return place
}

/** What stands behind a position. At the same position: nothing, for now. */
async function readOn(path: string, position: string, until?: Instant): Promise<Batch | undefined> {
  const [, known, digits] = /^(.+)-(\d+)$/.exec(position) ?? []
  const begin = Number(digits ?? 0)
  const chunk = Bun.file(path).slice(begin, begin + CHUNK)
  const bytes = Buffer.from(await chunk.arrayBuffer().catch(() => new ArrayBuffer()))
  // Asked behind the read: a file that was here before, and still is, is the one that was read.
  const id = await idOf(path)
  if (id === undefined) return undefined
  if (id !== known) return { gap: { reason: "rotated" }, lines: [], position: `${id}-0` }
  const now = toInstant(new Date().toISOString())
  const lines: Line[] = []
  let at = 0
  for (let end; (end = bytes.indexOf("\n", at)) >= 0; at = end + 1) {
    const record = RECORD.exec(bytes.toString("utf8", at, end))
    const behind = `${id}-${begin + end + 1}`
    // What is no record stands before the next batch.
    if (!record && lines.length > 0) break
    if (!record) return { gap: { reason: "runtime_error" }, lines, position: behind }
    const [, stamp = "", stream, tag, message = ""] = record
    const timestamp = toInstant(stamp)
    if (until && timestamp > until && timestamp <= now) break
    const line = { stream: stream as Line["stream"], timestamp, message, position: behind }
    lines.push(tag === "P" ? { ...line, partial: true } : line)
  }
  return { lines, position: `${id}-${begin + at}` }
}

/** A file's own, whatever it is called. */
async function idOf(path: string): Promise<string | undefined> {
  const file = await stat(path, { bigint: true }).catch(() => undefined)
  return file && `${file.ino}-${file.birthtimeNs}`
}

/** Nine digits, in UTC, as the contract wants it. */
function toInstant(text: string): Instant {
  const [, fraction = ""] = /\.(\d+)/.exec(text) ?? []
  return `${new Date(text).toISOString().slice(0, 19)}.${fraction.padEnd(9, "0")}Z` as Instant
}
