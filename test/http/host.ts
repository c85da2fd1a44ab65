/** The whole service but its listeners, over a runtime of one container an app, each of which has one line. */
import { startDirectory } from "../../src/apps/live.ts"
import { createApp } from "../../src/http/app.ts"
import { observeNothing } from "../../src/observe.ts"
import type { Batch, Container, ReadOptions, Runtime } from "../../src/runtime.ts"
import { createLogService } from "../../src/stream/logs.ts"
import { AT, LIMITS, until } from "./fakes.ts"

export interface Host {
  readonly app: ReturnType<typeof createApp>
  /** The id of an app's container. */
  readonly idOf: (app: string) => string
  readonly stop: () => void
}

export async function startHost(apps: readonly string[]): Promise<Host> {
  const stopping = new AbortController()
  const { signal: shutdown } = stopping
  const observe = observeNothing
  const runtime = createRuntime(apps)
  const directory = startDirectory(runtime, { signal: shutdown, observe })
  const ringBytes = 100_000
  const service = createLogService({ runtime, directory, observe, ringBytes, shutdown })
  await until(() => directory.up)
  return {
    app: createApp({ directory, service, observe, limits: LIMITS, shutdown, version: "1.2.3" }),
    idOf: (app) => idOf(apps.indexOf(app)),
    stop: () => stopping.abort(),
  }
}

function idOf(index: number): string {
  return `${index}`.repeat(64)
}

function createRuntime(apps: readonly string[]): Runtime {
  const containers = apps.map((name, index): Container => ({
    id: idOf(index),
    name,
    labels: {},
    state: "running",
    createdAt: AT,
    guarantee: { level: "exact", source: "api", reason: "" },
  }))
  return {
    name: "made by hand",
    ping: async () => ({ version: "1" }),
    list: async () => containers,
    // oxlint-disable-next-line require-yield -- nothing ever changes
    async *watch(ready, signal) {
      ready()
      await aborted(signal)
    },
    read: ({ name }, { from }, options) =>
      from === "position" || from === "end" ? quiet(options) : oneLine(name, options),
    async [Symbol.asyncDispose]() {},
  }
}

async function* oneLine(name: string, options: ReadOptions): AsyncIterable<Batch> {
  const line = {
    stream: "stdout",
    timestamp: AT,
    message: `line of ${name}.`,
    position: "p",
  } as const
  yield { lines: [line], position: "p" }
  yield* quiet(options)
}

async function* quiet({ follow, signal }: ReadOptions): AsyncIterable<Batch> {
  yield { lines: [], position: "p" }
  if (follow) await aborted(signal)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve())
  })
}
