/**
 * A runtime of two containers, for the executable to load from disk: `quiet` has one line, and `noisy`
 * never stops. It stands alone, as a plugin of somebody else would: only types are imported.
 */
import type { Batch, Container, Line, ReadOptions, Runtime } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"

const at = "2026-01-01T00:00:00.000000000Z" as Instant

function containerOf(name: string, digit: string): Container {
  return {
    id: digit.repeat(64),
    name,
    labels: {},
    state: "running",
    createdAt: at,
    guarantee: { level: "exact", source: "api", reason: "" },
  }
}

function lineOf(message: string, position: string): Line {
  return { stream: "stdout", timestamp: at, message, position }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve())
  })
}

async function* readQuiet({ follow, signal }: ReadOptions): AsyncIterable<Batch> {
  yield { lines: [lineOf("hello", "p1")], position: "p1" }
  if (follow) await aborted(signal)
}

async function* readNoisy({ signal }: ReadOptions): AsyncIterable<Batch> {
  const message = "noise ".repeat(1_000)
  for (let n = 0; !signal.aborted; n += 1) {
    const position = `p${n}`
    yield { lines: Array.from({ length: 10 }, () => lineOf(message, position)), position }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const fixture: Runtime = {
  name: "fixture",
  ping: async () => ({ version: "1" }),
  list: async () => [containerOf("quiet", "a"), containerOf("noisy", "b")],
  // oxlint-disable-next-line require-yield -- nothing ever changes
  async *watch(ready, signal) {
    ready()
    await aborted(signal)
  },
  read: (container, _, options) =>
    container.name === "quiet" ? readQuiet(options) : readNoisy(options),
  async [Symbol.asyncDispose]() {},
}

export const plugin = { name: "fixture", api: 1, create: () => fixture }
