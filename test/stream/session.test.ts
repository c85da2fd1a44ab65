import { expect, test } from "bun:test"
import { observeNothing } from "../../src/observe.ts"
import { createLogService } from "../../src/stream/logs.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import type { LiveStream } from "../../src/stream/service.ts"
import { FORM } from "./client.ts"
import { World } from "./world.ts"

function createScene(shutdown = new AbortController().signal) {
  const world = new World()
  world.add()
  world.learn()
  const options = { runtime: world, directory: world, observe: observeNothing, shutdown }
  const service = createLogService({ ...options, ringBytes: 100_000 })
  const open = (query: LogQuery = { includeNeeds: true }) =>
    service.stream(world.app(), query, FORM)
  return { world, open }
}

/** The types of what comes next of a stream's own events. */
async function typesOf(stream: LiveStream): Promise<string[] | "end"> {
  const { done, value } = await stream.next()
  if (done) return "end"
  return "bytes" in value ? ["chunk"] : value.map(({ type }) => type)
}

test("streams are told that the service ends, live ones and others, and then they end", async () => {
  const shutdown = new AbortController()
  const { world, open } = createScene(shutdown.signal)
  const [live, early] = [open(), open()]
  expect(await typesOf(live)).toEqual(["ping"])
  const next = typesOf(live)
  shutdown.abort()
  expect(await next).toEqual(["end"])
  expect(await typesOf(live)).toBe("end")
  while ((await typesOf(early)).includes("ping"));
  expect(await typesOf(early)).toBe("end")
  await live.return()
  await early.return()
  expect([world.listeners, world.reading]).toEqual([0, 0])
})

test("streams that nobody has read from leave nothing behind, and end once", async () => {
  const { world, open } = createScene()
  for (const query of [{ includeNeeds: true }, { includeNeeds: true, tail: 3 }]) {
    const stream = open(query)
    await stream.return()
    await stream.return()
    expect(await typesOf(stream)).toBe("end")
  }
  expect(world.listeners).toBe(0)
})

test("a client that leaves while it waits is not waited for", async () => {
  const { world, open } = createScene()
  const [stays, leaves] = [open(), open()]
  for (const stream of [stays, leaves]) expect(await typesOf(stream)).toEqual(["ping"])
  const [kept, waiting] = [stays.next(), leaves.next()]
  await leaves.return()
  expect((await waiting).done).toBe(true)
  await stays.return()
  expect((await kept).done).toBe(true)
  expect(world.listeners).toBe(0)
})
