import { expect, test } from "bun:test"
import { Bell } from "../../src/bell.ts"
import { Failure } from "../../src/errors.ts"
import type { Batch } from "../../src/runtime.ts"
import { follow } from "../../src/stream/follow.ts"
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
    member: memberOf(1),
    start: { from: "end" },
    restart: () => ({ from: "end" }),
    onStart: () => {},
    push: () => {},
    onFailure: (failure) => failures.push(failure),
    bell: new Bell(),
    gone: () => false,
    signal: enough.signal,
  })
  expect(failures.map(({ code }) => code)).toEqual(["internal_error"])
  const pauses = reads.slice(1).map((at, index) => at - (reads[index] ?? 0))
  for (const [index, least] of [95, 195, 395].entries())
    expect(pauses[index]).toBeGreaterThan(least)
})
