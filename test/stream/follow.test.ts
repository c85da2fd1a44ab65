import { expect, test } from "bun:test"
import { Bell } from "../../src/bell.ts"
import { Failure } from "../../src/errors.ts"
import type { Batch, Container, Start } from "../../src/runtime.ts"
import { follow } from "../../src/stream/follow.ts"
import { type Instant, now, secondsSince } from "../../src/time.ts"
import { memberOf } from "./members.ts"

test("a follow that fails again and again behind its first batch is told of once", async () => {
  const enough = new AbortController()
  const failures: Failure[] = []
  const reads: number[] = []
  await follow({
    runtime: {
      async *read(): AsyncGenerator<Batch, void> {
        reads.push(performance.now())
        if (reads.length === 4) enough.abort()
        yield { lines: [], position: "p" }
        throw new Failure("internal_error", "it is broken")
      },
    },
    seat: { member: memberOf(1), bell: new Bell(), gone: false },
    start: { from: "end" },
    onStart: () => {},
    push: () => {},
    onFailure: (failure) => failures.push(failure),
    signal: enough.signal,
  })
  expect(failures.map(({ code }) => code)).toEqual(["internal_error"])
  const pauses = reads.slice(1).map((at, index) => at - (reads[index] ?? 0))
  for (const [index, least] of [95, 195, 395].entries())
    expect(pauses[index]).toBeGreaterThan(least)
})

test("what is read again is the container as it is by then", async () => {
  const enough = new AbortController()
  const before = memberOf(1)
  const after = memberOf(1)
  const seat = { member: before, bell: new Bell(), gone: false }
  const read: Container[] = []
  await follow({
    runtime: {
      async *read(container): AsyncGenerator<Batch, void> {
        read.push(container)
        yield { lines: [], position: "p" }
        if (read.length === 2) enough.abort()
        seat.member = after
        seat.bell.ring()
      },
    },
    seat,
    start: { from: "beginning" },
    onStart: () => {},
    push: () => {},
    onFailure: () => {},
    signal: enough.signal,
  })
  expect(read[0]).toBe(before.container)
  expect(read[1]).toBe(after.container)
})

test("a follow that cannot look for the end of a log at first begins when it was to", async () => {
  const enough = new AbortController()
  const starts: Start[] = []
  const began = now()
  await follow({
    runtime: {
      // oxlint-disable-next-line require-yield
      async *read(_, start): AsyncGenerator<Batch, void> {
        starts.push(start)
        if (starts.length === 3) enough.abort()
        throw new Failure("runtime_unavailable", "it is away")
      },
    },
    seat: { member: memberOf(1), bell: new Bell(), gone: false },
    start: { from: "end" },
    onStart: () => {},
    push: () => {},
    onFailure: () => {},
    signal: enough.signal,
  })
  const [first, second, third] = starts
  expect([first, second?.from, third]).toEqual([{ from: "end" }, "time", second])
  const after = second?.from === "time" ? second.after : ""
  expect(after >= began && secondsSince(after as Instant) >= 0.09).toBe(true)
})
