/** Clients that begin with the last lines, and that something happens to before these have come. */
import { expect, test } from "bun:test"
import { Failure } from "../../src/errors.ts"
import { observeNothing } from "../../src/observe.ts"
import type { Batch, Container, ReadOptions } from "../../src/runtime.ts"
import type { LogReader } from "../../src/stream/counted.ts"
import { parseCursor } from "../../src/stream/cursor.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import { createLogService } from "../../src/stream/logs.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import { elapse, fakeTime } from "../logapi/fake-time.ts"
import { FORM, read } from "./client.ts"
import { World } from "./world.ts"

fakeTime()

const TAIL = { includeNeeds: true, tail: 3 }

/** Of two containers, each with two lines. `fails`: asked before each read. */
async function createScene(
  fails: (container: Container, options: ReadOptions) => Failure | undefined = () => undefined,
) {
  const world = new World()
  world.add()
  world.add()
  const [web, worker] = world.boxes
  if (!web || !worker) throw new Error("there are two")
  for (let count = 0; count < 2; count++) {
    for (const box of [web, worker]) {
      world.write(box, 1, { stream: "stdout", end: "feed", back: 0, lagMs: 0 })
    }
  }
  world.learn()
  await elapse(5_000)
  const runtime: LogReader = {
    async *read(container, start, options): AsyncGenerator<Batch, void> {
      const failure = fails(container, options)
      if (failure) throw failure
      yield* world.read(container, start, options)
    },
  }
  const options = { runtime, directory: world, observe: observeNothing, ringBytes: 100_000 }
  const serve = (shutdown = new AbortController().signal) =>
    createLogService({ ...options, shutdown })
  const service = serve()
  const open = (query: LogQuery = TAIL, by = service) => by.stream(world.app(), query, FORM)
  /** What comes within some ten seconds. */
  const collect = async (query: LogQuery = TAIL) => {
    const events: StreamEvent[] = []
    const stream = open(query)
    const reading = (async () => {
      for (;;) {
        const { value, done } = await stream.next()
        if (done) return
        events.push(...read(value))
      }
    })()
    for (let count = 0; count < 20; count++) await elapse(500)
    await stream.return()
    await reading
    return events
  }
  return { world, worker, serve, open, collect }
}

/** As a browser does: with what it was told last, and the query that it came with. */
function comeBack(events: readonly StreamEvent[]): LogQuery {
  const id = events.findLast(({ cursor }) => cursor !== "")?.cursor
  const cursor = id === undefined ? undefined : parseCursor(id)
  return { ...TAIL, ...(cursor && { cursor }) }
}

const linesOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === "log" ? [event.line.message] : []))

test("a client that is ended before its last lines have come gets them when it comes back", async () => {
  const { serve, open, collect } = await createScene()
  const shutdown = new AbortController()
  const stream = open(TAIL, serve(shutdown.signal))
  const next = stream.next()
  shutdown.abort()
  const { value } = await next
  const events = value ? read(value) : []
  await stream.return()
  expect(events.map(({ type }) => type)).toEqual(["end"])
  expect(linesOf(await collect(comeBack(events)))).toHaveLength(3)
})

test("what is told before the last lines is no place behind them", async () => {
  const unreadable = new Failure("log_driver_unreadable", "nobody keeps it")
  const { worker, open, collect } = await createScene(({ id }) =>
    id === worker.id ? unreadable : undefined,
  )
  const stays = collect({ includeNeeds: true })
  await elapse(1_000)
  const stream = open()
  const { value } = await stream.next()
  const events = value ? read(value) : []
  await stream.return()
  expect(events.map(({ type }) => type)).toEqual(["gap"])
  expect(linesOf(await collect(comeBack(events)))).toHaveLength(2)
  await stays
})

test("where last lines cannot be read just now, a gap says so, and what is written from then on comes", async () => {
  let failures = 0
  const { world, worker, collect } = await createScene((_, { follow }) => {
    if (follow || failures === 6) return undefined
    failures++
    return new Failure("runtime_unavailable", "a hiccup")
  })
  const collected = collect()
  world.write(worker, 1, { stream: "stdout", end: "feed", back: 0, lagMs: 0 })
  const events = (await collected).filter(({ type }) => type !== "ping")
  expect(events).toMatchObject([
    { type: "gap", member: { service: "web" }, reason: "runtime_error", cursor: "" },
    { type: "gap", member: { service: "worker" }, reason: "runtime_error", cursor: "" },
    { type: "log", member: { service: "worker" }, line: { message: "z2" } },
  ])
})

test("where one container cannot be read just now, the others' last lines do not make its older ones come", async () => {
  let hasFailed = false
  const scene = await createScene(({ id }, { follow }) => {
    if (follow || hasFailed || id !== scene.worker.id) return undefined
    hasFailed = true
    return new Failure("runtime_unavailable", "a hiccup")
  })
  const events = (await scene.collect()).filter(({ type }) => type !== "ping")
  expect(hasFailed).toBe(true)
  expect(events).toMatchObject([
    { type: "gap", member: { service: "worker" } },
    { type: "log", member: { service: "web" } },
    { type: "log", member: { service: "web" } },
  ])
})
