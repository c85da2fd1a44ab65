/** How long the executable takes until it listens. The figures are printed; only a loose bound can fail. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { PrivateRuntime } from "../runtime.ts"
import { Applogs } from "./applogs.ts"
import { describeReal, startRuntime } from "./runtime.ts"
import { readText } from "./wire.ts"

const STARTS = 10
/** The aim is 150 ms on a quiet machine; this one may be busy with other things. */
const LOOSE_MS = 1_000

describeReal("the built executable", () => {
  let real: PrivateRuntime
  let applogs: Applogs
  beforeAll(async () => {
    real = await startRuntime()
    applogs = new Applogs(real)
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  test(`listens within ${LOOSE_MS} ms, in the middle of ${STARTS} starts`, async () => {
    const listening: number[] = []
    const answered: number[] = []
    for (let start = 0; start < STARTS; start++) {
      const began = performance.now()
      listening.push(await applogs.start())
      expect(await readText(await applogs.get("/healthz"))).toBe('{"status":"ok"}')
      answered.push(performance.now() - began)
      await applogs.ready()
      expect(await applogs.end("SIGTERM")).toBe(0)
    }
    console.log(`start to listening: ${describeTimes(listening)} (the aim: under 150 ms)`)
    console.log(`start to the first answer: ${describeTimes(answered)}`)
    expect(median(listening)).toBeLessThan(LOOSE_MS)
  })

  test("says where it listens, and nothing of the key", async () => {
    await applogs.start()
    await applogs.ready()
    await applogs.end("SIGTERM")
    const log = applogs.log()
    expect(log).toContain('event="runtime up"')
    expect(log).toContain("event=stopped")
    expect(log).not.toContain(applogs.key)
  })
})

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN
}

function describeTimes(times: readonly number[]): string {
  const ms = (time: number) => `${time.toFixed(0)} ms`
  return `${ms(median(times))} in the middle, ${ms(Math.min(...times))} to ${ms(Math.max(...times))}`
}
