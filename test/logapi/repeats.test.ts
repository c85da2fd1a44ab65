import { describe, expect, test } from "bun:test"
import { readLog } from "../../src/logapi/read.ts"
import { Repeats } from "../../src/logapi/repeats.ts"
import type { RecordSource } from "../../src/logapi/source.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { toInstant } from "../../src/time.ts"

function record(second: number, text: string): LogRecord {
  const timestamp = toInstant(BigInt(second) * 1_000_000_000n)
  return { stream: "stdout", timestamp, text, ended: true }
}

const records = Array.from({ length: 40 }, (_, number) => record(100 + number, `line ${number}`))

/** An engine whose follow begins a rotated log anew, once, as 20.10 does. */
class RepeatingLog implements RecordSource {
  readonly rules = { partBytes: 16_384, partsShareTime: true, crlf: false, limitBytes: 1_000 }
  readonly repeats = true
  follows = 0
  #running = true

  async running(): Promise<boolean> {
    return this.#running
  }

  async *open({ follow, tail }: { follow: boolean; tail?: number }) {
    if (!follow) {
      const held = this.#running ? records.slice(0, 10) : records
      yield held.slice(Math.max(0, held.length - (tail ?? held.length)))
      return
    }
    this.follows++
    yield records.slice(0, 10)
    yield records.slice(10, 30)
    this.#running = false
    yield [...records.slice(20, 30), ...records.slice(30, 35)]
  }
}

describe("Repeats", () => {
  test("lets everything pass that has not come before, twins in time too", () => {
    const repeats = new Repeats()
    expect(repeats.before(records)).toEqual(records)
    const twin = record(100, "of the first one's time")
    expect(repeats.before([twin])).toEqual([twin])
  })

  test("stops at the first record that has come before, wherever chunks end", () => {
    for (let cut = 0; cut <= 40; cut++) {
      const repeats = new Repeats()
      expect(repeats.before(records.slice(0, cut))).toHaveLength(cut)
      const rest = [...records.slice(cut), ...records.slice(20)]
      expect(repeats.before(rest)).toEqual(records.slice(cut))
    }
  })
})

test("a follow that repeats itself is left, and the log read on behind the last new line", async () => {
  const log = new RepeatingLog()
  const options = { follow: true, signal: new AbortController().signal }
  const tuning = { firstMs: 0, mostMs: 0, tails: [512], slack: 64 }
  const messages: string[] = []
  for await (const { lines, gap } of readLog(log, { from: "beginning" }, options, tuning)) {
    expect(gap).toBeUndefined()
    messages.push(...lines.map(({ message }) => message))
  }
  expect(messages).toEqual(records.map(({ text }) => text))
  expect(log.follows).toBe(1)
})
