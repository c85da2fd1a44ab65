import { expect, test } from "bun:test"
import type { Batch } from "../../src/runtime.ts"
import type { LogReader } from "../../src/stream/counted.ts"
import { takeSnapshot } from "../../src/stream/snapshot.ts"
import { lineOf, memberOf } from "./members.ts"

/** As `--tail-max` lets through at most: more than a call takes arguments. */
const MOST = 1_000_000

test("a snapshot has as many lines as may be asked for, when they come at once", async () => {
  const lines = Array.from<ReturnType<typeof lineOf>>({ length: MOST + 1 }).fill(lineOf("x"))
  const runtime: LogReader = {
    async *read(): AsyncGenerator<Batch, void> {
      yield { lines, position: "p" }
    },
  }
  const app = { id: "shop", members: [memberOf(1)] }
  const query = { includeNeeds: true, tail: MOST }
  const { signal } = new AbortController()
  const snapshot = await takeSnapshot(runtime, app, query, signal)
  let count = 0
  for await (const some of snapshot.lines) if (!("block" in some)) count += some.length
  expect([count, snapshot.truncated]).toEqual([MOST, true])
})
