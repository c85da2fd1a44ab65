import { expect, test } from "bun:test"
import { readLog } from "../../src/logapi/read.ts"
import type { RecordSource } from "../../src/logapi/source.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { toInstant } from "../../src/time.ts"
import { elapse, fakeTime } from "./fake-time.ts"

fakeTime()

function record(second: number): LogRecord {
  const timestamp = toInstant(BigInt(second) * 1_000_000_000n)
  const text = `line ${second}`
  return { stream: "stdout", timestamp, text, ended: true }
}

const records = Array.from({ length: 30 }, (_, number) => record(100 + number))

/** An engine that rotates the log in the moment in which the first follow is opened, as 20.10 may. */
class StrayingLog implements RecordSource {
  readonly rules = { partBytes: 16_384, partsShareTime: true, crlf: false, limitBytes: 1_000 }
  readonly repeats = true
  follows = 0
  held = 10
  #running = true

  async running(): Promise<boolean> {
    return this.#running
  }

  async *open({ follow, tail }: { follow: boolean; tail?: number }, signal: AbortSignal) {
    const held = records.slice(0, this.held)
    yield held.slice(Math.max(0, held.length - (tail ?? held.length)))
    if (!follow) return
    this.follows++
    if (this.follows > 1) {
      this.#running = false
      return
    }
    // The next file is written, and this follow does not see it.
    this.held = records.length
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
  }
}

test("a follow to which nothing comes while the log grows is left, and the log read on", async () => {
  const log = new StrayingLog()
  const options = { follow: true, signal: new AbortController().signal }
  const tuning = { firstMs: 0, mostMs: 0, tails: [512], slack: 64 }
  const reading = Array.fromAsync(readLog(log, { from: "beginning" }, options, tuning))
  await elapse(10_000)
  const batches = await reading
  expect(batches.filter(({ gap }) => gap)).toEqual([])
  const messages = batches.flatMap(({ lines }) => lines.map(({ message }) => message))
  expect(messages).toEqual(records.map(({ text }) => text))
  expect(log.follows).toBe(2)
})

test("a follow to which nothing comes because nothing is written is not left", async () => {
  const log = new StrayingLog()
  const stop = new AbortController()
  const looks: number[] = []
  const quiet: RecordSource = {
    rules: log.rules,
    repeats: true,
    running: async () => true,
    async *open(request, signal) {
      if (request.tail === 1) looks.push(looks.length)
      yield records.slice(-(request.tail ?? records.length))
      if (!request.follow) return
      log.follows++
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
    },
  }
  const reading = readLog(quiet, { from: "end" }, { follow: true, signal: stop.signal })
  const batches = Array.fromAsync(reading)
  await elapse(1_000)
  stop.abort()
  await elapse(0)
  expect((await batches).flatMap(({ lines }) => lines)).toEqual([])
  expect([log.follows, looks.length]).toEqual([1, 1])
})
