import { expect, test } from "bun:test"
import { observeNothing } from "../../src/observe.ts"
import { createLogService } from "../../src/stream/logs.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import type { LiveStream } from "../../src/stream/service.ts"
import { FORM, read } from "./client.ts"
import { settle } from "../logapi/fake-time.ts"
import { World } from "./world.ts"

function createScene(shutdown = new AbortController().signal, ringBytes = 100_000) {
  const world = new World()
  world.add()
  world.learn()
  const options = { runtime: world, directory: world, observe: observeNothing, shutdown }
  const service = createLogService({ ...options, ringBytes })
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
  await settle()
  expect([world.listeners, world.reading]).toEqual([0, 0])
})

test("a stream that is ended says why, wherever it is, hands over nothing else, and leaves the others", async () => {
  const { world, open } = createScene()
  const stays = open()
  expect(await typesOf(stays)).toEqual(["ping"])
  const live = open()
  expect(await typesOf(live)).toEqual(["ping"])
  const waiting = live.next()
  const all = [live, open(), open({ includeNeeds: true, tail: 3 })]
  for (const stream of all) stream.end("revoked")
  const [early, reading] = await Promise.all([all[1]?.next(), all[2]?.next()])
  for (const { value } of [await waiting, early, reading].filter(
    (result) => result !== undefined,
  )) {
    expect(value).toMatchObject([{ type: "end", reason: "revoked", retryable: false }])
  }
  for (const stream of all) {
    expect(await typesOf(stream)).toBe("end")
    await stream.return()
  }
  const next = typesOf(stays)
  const [box] = world.boxes
  if (!box) throw new Error("there is one")
  world.write(box, 1, { stream: "stdout", end: "feed", back: 0, lagMs: 0 })
  world.learn()
  await settle()
  expect(await next).toEqual(["chunk"])
  await stays.return()
  await settle()
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
  await settle()
  expect([world.listeners, world.reading]).toEqual([0, 0])
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
  await settle()
  expect([world.listeners, world.reading]).toEqual([0, 0])
})

test("a client that asks for nothing yet gets all that was written since it was told that it is there", async () => {
  const { world, open } = createScene(undefined, 3_000)
  const stream = open()
  await stream.settled
  const [box] = world.boxes
  if (!box) throw new Error("there is one")
  const write = { stream: "stdout", end: "feed", back: 0, lagMs: 0 } as const
  for (let line = 0; line < 100; line++) world.write(box, 1, write)
  world.learn()
  await settle()
  let came = 0
  while (came < 100) {
    const { value } = await stream.next()
    if (!value) throw new Error("the stream has ended")
    came += read(value).filter(({ type }) => type === "log").length
  }
  expect(came).toBe(100)
  await stream.return()
  await settle()
  expect([world.listeners, world.reading]).toEqual([0, 0])
})
