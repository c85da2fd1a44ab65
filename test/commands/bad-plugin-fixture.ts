/**
 * A plugin of somebody who did not read how to write one: the variable FLAW says what is wrong with it. It has the
 * container `good`, with which nothing is, and `bad`.
 */
import type { Batch, Container, ReadOptions, Runtime, RuntimeOptions } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"

const at = "2026-01-01T00:00:00.000000000Z" as Instant

const never = () => new Promise<never>(() => {})

function containerOf(name: string, id: string): Container {
  const guarantee = { level: "exact", source: "api", reason: "" } as const
  return { id, name, labels: {}, state: "running", createdAt: at, guarantee }
}

async function* readGood({ follow, signal }: ReadOptions): AsyncIterable<Batch> {
  const line = { stream: "stdout", timestamp: at, message: "hello", position: "p1" } as const
  yield { lines: [line], position: "p1" }
  if (!follow) return
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
}

/** Each is the whole of what a read does. */
const READS: Readonly<Record<string, (options: ReadOptions) => unknown>> = {
  "read throws at once": () => {
    throw new Error("thrown at once")
  },
  "read rejects": async function* () {
    yield { lines: [], position: "p0" }
    throw new Error("rejected")
  },
  "read is unavailable": async function* () {
    yield { lines: [], position: "p0" }
    throw Object.assign(new Error("it is away"), { code: "runtime_unavailable" })
  },
  "read is unreadable": () => {
    throw Object.assign(new Error("nothing is kept"), { code: "log_driver_unreadable" })
  },
  "read hangs": async function* () {
    yield await never()
  },
  "read gives nothing to iterate": () => undefined,
  "read gives a line without text": async function* () {
    yield {
      lines: [{ stream: "stdout", timestamp: at, message: 7, position: "p1" }],
      position: "p1",
    }
  },
  "read gives a position that no id can carry": async function* () {
    yield { lines: [], position: "p.1\nevent: forged" }
  },
  "read leaves a rejection behind": async function* (options) {
    options.signal.addEventListener("abort", () => void Promise.reject(new Error("left behind")))
    yield* readGood(options)
  },
}

function create({ env }: RuntimeOptions): Runtime {
  const flaw = env["FLAW"] ?? ""
  if (flaw === "create throws") throw new Error("no\nreason")
  if (flaw === "create gives nothing") return undefined as unknown as Runtime
  const bad = containerOf("bad", flaw === "list gives a short id" ? "b" : "b".repeat(64))
  return {
    name: "bad",
    ping: async () => ({ version: "1" }),
    list: async () =>
      flaw === "list hangs" ? never() : [containerOf("good", "a".repeat(64)), bad],
    // oxlint-disable-next-line require-yield -- nothing ever changes
    async *watch(ready) {
      if (flaw === "watch throws") throw new Error("no events")
      ready()
      await never()
    },
    read: ({ name }, _, options) =>
      name === "good" ? readGood(options) : (READS[flaw]?.(options) as AsyncIterable<Batch>),
    async [Symbol.asyncDispose]() {
      if (flaw === "disposal hangs") await never()
      if (flaw === "disposal rejects") throw new Error("cannot close")
    },
  }
}

export const plugin = { name: "bad", api: 1, guarantees: [], create }
