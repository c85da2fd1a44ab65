import { expect, test } from "bun:test"
import type { App, Member } from "../../src/apps/app.ts"
import { createObserve } from "../../src/observe.ts"
import type { Batch, Guarantee } from "../../src/runtime.ts"
import type { LogReader } from "../../src/stream/counted.ts"
import { createLogService } from "../../src/stream/logs.ts"
import { FORM } from "./client.ts"
import { lineOf, memberOf } from "./members.ts"
import { World } from "./world.ts"

function readFrom(number: number, source: Guarantee["source"]): Member {
  const member = memberOf(number)
  const guarantee = { level: "exact", source, reason: "" } as const
  return { ...member, container: { ...member.container, guarantee } }
}

test("the metrics tell from where a snapshot and a stream have read their lines", async () => {
  const observe = createObserve({ level: "error", write: () => {} })
  const app: App = { id: "shop", members: [readFrom(1, "file"), readFrom(2, "api")] }
  const runtime: LogReader = {
    async *read({ guarantee }): AsyncGenerator<Batch, void> {
      const lines = guarantee.source === "file" ? [lineOf("a"), lineOf("b")] : [lineOf("c")]
      yield { lines, position: "end" }
    },
  }
  const directory = Object.assign(new World(), { app: () => app })
  const { signal: shutdown } = new AbortController()
  const service = createLogService({
    runtime,
    directory,
    observe,
    ringBytes: 100_000,
    shutdown,
  })
  const counts = async () => {
    const { body } = await observe.metrics()
    return [...body.matchAll(/^applogs_lines_read_total\{source="(\w+)"\} (\d+)$/gm)].map(
      ([, source, lines]) => `${source} ${lines}`,
    )
  }

  expect(await counts()).toEqual([])
  await service.snapshot(app, { includeNeeds: true, tail: 10 }, shutdown)
  expect(await counts()).toEqual(["file 2", "api 1"])
  const stream = service.stream(app, { includeNeeds: true, tail: 10 }, FORM)
  for (let isLive = false; !isLive;) {
    const { value } = await stream.next()
    if (value && !("bytes" in value)) isLive = value.some(({ type }) => type === "ping")
  }
  await stream.return()
  // For the client, and for the channel, which follows.
  expect(await counts()).toEqual(["file 6", "api 3"])
})
