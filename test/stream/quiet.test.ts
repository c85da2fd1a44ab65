/** Clients for which nothing happens: of what is read nothing passes, or they take nothing of it. */
import { expect, jest, test } from "bun:test"
import { observeNothing } from "../../src/observe.ts"
import type { Batch } from "../../src/runtime.ts"
import type { LogReader } from "../../src/stream/counted.ts"
import { type StreamEvent, TICK_MS } from "../../src/stream/events.ts"
import { createLogService } from "../../src/stream/logs.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import type { LiveStream } from "../../src/stream/service.ts"
import { now } from "../../src/time.ts"
import { elapse, fakeTime, settle } from "../logapi/fake-time.ts"
import { FORM, read } from "./client.ts"
import { World } from "./world.ts"

fakeTime()

function open(world: World, query: Partial<LogQuery>, runtime: LogReader = world): LiveStream {
  const service = createLogService({
    runtime,
    directory: world,
    observe: observeNothing,
    shutdown: new AbortController().signal,
    ringBytes: 100_000,
  })
  return service.stream(world.app(), { includeNeeds: true, ...query }, FORM)
}

test("a replay of which nothing passes says, at least every 15 seconds, how far it is", async () => {
  const world = new World()
  world.add()
  world.learn()
  const began = now()
  /** Batches of one line each, written at the beginning; ten seconds to read each. */
  async function* readSlowly(): AsyncGenerator<Batch, void> {
    for (let number = 0; number < 5; number++) {
      jest.advanceTimersByTime(10_000)
      const position = `p${number}`
      const line = {
        stream: "stdout",
        timestamp: began,
        message: "other",
        position,
      } as const
      yield { lines: [line], position }
    }
  }
  const runtime: LogReader = {
    read: (container, start, options) =>
      options.follow ? world.read(container, start, options) : readSlowly(),
  }
  const stream = open(world, { tail: "all", grep: "this" }, runtime)
  const events: StreamEvent[] = []
  while (events.length < 6) {
    const { value } = await stream.next()
    if (value) events.push(...read(value))
  }
  await stream.return()
  expect(events.map((event) => [event.type, "lagMs" in event && event.lagMs])).toEqual([
    ["ping", 10_000],
    ["ping", 20_000],
    ["ping", 30_000],
    ["ping", 40_000],
    ["ping", 50_000],
    // All has been read.
    ["ping", 0],
  ])
})

test("nothing is held open for a client that takes nothing for a minute; when it takes again, it goes on", async () => {
  const world = new World()
  world.add()
  const [box] = world.boxes
  if (!box) throw new Error("there is one")
  const write = { stream: "stdout", end: "feed", back: 0, lagMs: 0 } as const
  for (let line = 0; line < 3; line++) world.write(box, 1, write)
  world.learn()
  const stream = open(world, { tail: "all" })
  const next = async () => {
    const { value } = await stream.next()
    const events = value ? read(value) : []
    return events.map((event) => (event.type === "ping" ? `${event.lagMs} ms behind` : event.type))
  }
  expect([...(await next()), ...(await next())]).toEqual(["log", "log", "log"])
  await elapse(55_000)
  // One follows the log, for all clients.
  expect(world.reading).toBe(2)
  await elapse(10_000)
  expect(world.reading).toBe(1)
  world.write(box, 1, write)
  expect(await next()).toEqual(["65000 ms behind"])
  expect(await next()).toEqual(["log"])
  await stream.return()
  await settle()
  expect(world.reading).toBe(0)
})

test("a client is not left in silence, nor behind, while one read takes long", async () => {
  const world = new World()
  world.add()
  const [box] = world.boxes
  if (!box) throw new Error("there is one")
  world.write(box, 1, { stream: "stdout", end: "feed", back: 0, lagMs: 0 })
  world.learn()
  await elapse(5_000)
  const runtime: LogReader = {
    async *read(container, start, options) {
      // In fake time. A large log is read backwards, and nothing comes before the last lines that pass are found.
      if (start.from === "last") await new Promise((resolve) => setTimeout(resolve, 100_000))
      yield* world.read(container, start, options)
    },
  }
  const stream = open(world, { tail: 3 }, runtime)
  const told: [string, string][] = []
  const next = async () => {
    const { value } = await stream.next()
    for (const { type, cursor } of value ? read(value) : []) told.push([type, cursor])
  }
  for (let pings = 0; pings < 5; pings++) {
    const coming = next()
    await elapse(20_000)
    await coming
  }
  // It has no place yet: whoever comes back with it asks for the last lines again.
  expect(told).toEqual(Array.from({ length: 5 }, () => ["ping", ""]))
  await next()
  expect(told.at(-1)?.[0]).toBe("log")
  await stream.return()
  await elapse(100_000)
  expect(world.reading).toBe(0)
})

test("a client whose read hangs with the engine is told that the runtime is down, and when it is up", async () => {
  const world = new World()
  world.add()
  const [box] = world.boxes
  if (!box) throw new Error("there is one")
  world.write(box, 1, { stream: "stdout", end: "feed", back: 0, lagMs: 0 })
  world.learn()
  const answers = Promise.withResolvers<void>()
  const runtime: LogReader = {
    async *read(container, start, options) {
      if (!options.follow) await answers.promise
      yield* world.read(container, start, options)
    },
  }
  const stream = open(world, { tail: "all" }, runtime)
  const next = async () => {
    const { value } = await stream.next()
    return (value ? read(value) : []).map((event) => [event.type, "state" in event && event.state])
  }
  const becomes = async (down: boolean) => {
    const told = next()
    await settle()
    world.down = down
    world.learn()
    await elapse(TICK_MS)
    return await Promise.race([told, Promise.resolve("nothing")])
  }
  expect(await becomes(true)).toEqual([["status", "down"]])
  expect(await becomes(false)).toEqual([["status", "up"]])
  answers.resolve()
  expect(await next()).toEqual([["log", false]])
  await stream.return()
  await settle()
  expect(world.reading).toBe(0)
})
