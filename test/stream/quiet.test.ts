/** A client whose filter lets nothing pass of a log that takes long to read: it must hear something meanwhile. */
import { expect, jest, test } from "bun:test"
import { observeNothing } from "../../src/observe.ts"
import type { Batch } from "../../src/runtime.ts"
import type { LogReader } from "../../src/stream/counted.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import { createLogService } from "../../src/stream/logs.ts"
import { now } from "../../src/time.ts"
import { fakeTime } from "../logapi/fake-time.ts"
import { FORM, read } from "./client.ts"
import { World } from "./world.ts"

fakeTime()

test("a replay of which nothing passes says every 15 seconds how far it is", async () => {
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
  const service = createLogService({
    runtime,
    directory: world,
    observe: observeNothing,
    shutdown: new AbortController().signal,
    ringBytes: 100_000,
  })
  const stream = service.stream(
    world.app(),
    { includeNeeds: true, tail: "all", grep: "this" },
    FORM,
  )
  const events: StreamEvent[] = []
  while (events.length < 3) {
    const { value } = await stream.next()
    if (value) events.push(...read(value))
  }
  await stream.return()
  expect(events.map((event) => [event.type, "lagMs" in event && event.lagMs])).toEqual([
    ["ping", 20_000],
    ["ping", 40_000],
    // All has been read.
    ["ping", 0],
  ])
})
