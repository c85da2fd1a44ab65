/** A read that is called off before it has found its place says nothing: it has not seen that anything is missing. */
import { expect, test } from "bun:test"
import { readLog } from "../../src/logapi/read.ts"
import type { RecordRequest, RecordSource } from "../../src/logapi/source.ts"
import type { Batch, Start } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"
import { ModelLog } from "./model.ts"
import { TUNING } from "./reader.ts"

const TIME = toInstant(100_000_000_000n)

const log = new ModelLog(true)
for (const line of ["a", "b", "c"]) log.append("stdout", TIME, line, true)

const batches: Batch[] = []
const whole = { follow: false, signal: new AbortController().signal }
for await (const batch of readLog(log, { from: "beginning" }, whole, TUNING)) batches.push(batch)
const position = batches.at(-1)?.position ?? ""

test.each<[string, Start]>([
  ["a position", { from: "position", position }],
  ["a time", { from: "time", after: TIME }],
  ["the beginning", { from: "beginning" }],
])("from %s: no gap, and no position to come back to", async (_, start) => {
  const leaving = new AbortController()
  // As every source of records does: it ends, and does not throw.
  const source: RecordSource = {
    rules: log.rules,
    repeats: log.repeats,
    running: async () => false,
    async *open(request: RecordRequest, signal: AbortSignal) {
      leaving.abort()
      if (!signal.aborted) yield* log.open(request, signal)
    },
  }
  const said: Batch[] = []
  const options = { follow: false, signal: leaving.signal }
  for await (const batch of readLog(source, start, options, TUNING)) said.push(batch)
  expect(said).toEqual([])
})
