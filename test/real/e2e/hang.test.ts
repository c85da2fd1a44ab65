/** An engine that hangs: it takes connections and never answers. Clients are told, keep their streams, and miss nothing. */
import { afterEach, expect, test } from "bun:test"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { countLines, Shop } from "./shop.ts"

const HANGS = count({ full: 10, short: 1 })
/** So many come just before a hang: for some of them, a log is being read when it begins. */
const NEWCOMERS = 5
/** A ping every 10 s, of which two must miss their 5 s, and 5 s for who waits for a log; the rest is for a busy machine. */
const TOLD_MS = 45_000
/** What a snapshot may take to be had, or refused. */
const ANSWER_MS = 20_000

describeServed("an engine that hangs", (served) => {
  // One that a failed test has left so could not be ended.
  afterEach(() => served().real.thaw())

  test(`${HANGS} times: status down and up, the stream stays, and no line is missing`, async () => {
    const { real, applogs } = served()
    const shop = new Shop(real, "hung")
    await shop.open({ load: 0.2 })
    const newcomer = () => new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    const follower = newcomer()
    await follower.connect()
    await follower.readUntil(() => follower.lines.length > 100, "100 lines")
    const before = applogs.usage().files.length
    let told = 0
    let answered = 0
    for (let hang = 1; hang <= HANGS; hang++) {
      const newcomers = Array.from({ length: NEWCOMERS }, newcomer)
      const coming = newcomers.map((one) => one.connect())
      await Promise.race(coming)
      const began = performance.now()
      real.freeze()
      await Promise.all(coming)
      await isTold(follower, 2 * hang - 1)
      await Promise.all(newcomers.map((one) => isTold(one, 1)))
      told = Math.max(told, performance.now() - began)
      const asked = performance.now()
      const { status, body } = await applogs.get("/api/apps/hung/logs?tail=1")
      for await (const _ of body);
      answered = Math.max(answered, performance.now() - asked)
      expect([200, 503]).toContain(status)
      // New requests of a hanging engine must not pile up.
      expect(applogs.usage().files.length).toBeLessThan(before + 30)
      real.thaw()
      await isTold(follower, 2 * hang)
      await Promise.all(newcomers.map((one) => isTold(one, 2)))
      for (const one of newcomers) one.cut()
      const wanted = follower.lines.length + 100
      await follower.readUntil(() => follower.lines.length >= wanted, "100 more lines")
    }
    const truth = await shop.close()
    const total = countLines(truth)
    await follower.readUntil(() => follower.lines.length >= total, `all ${total} lines`)
    follower.cut()
    const ledger = new Ledger()
    ledger.checkWhole(`${HANGS} hangs`, follower.lines, truth)
    const times = `told within ${told.toFixed(0)} ms, a snapshot answered in ${answered.toFixed(0)} ms`
    console.log(`${HANGS} hangs of the engine: ${ledger.report}; ${times}`)
    expect(ledger.faults).toEqual([])
    expect(follower.gaps).toEqual([])
    expect(follower.connects).toBe(1)
    expect(states(follower)).toEqual(Array.from({ length: HANGS }, () => ["down", "up"]).flat())
    expect(answered).toBeLessThan(ANSWER_MS)
  })
})

/** Until it has been told so many states of the engine. */
async function isTold(follower: Follower, times: number): Promise<void> {
  const isSo = () => states(follower).length === times
  await follower.readUntil(isSo, `state ${times} of the engine`, { timeoutMs: TOLD_MS })
}

/** What it was told of the engine itself. */
function states({ told }: Follower): unknown[] {
  return told
    .filter(({ type, data }) => type === "status" && data["service"] === null)
    .map(({ data }) => data["state"])
}
