/** An engine that hangs: it takes connections and never answers. Clients are told, keep their streams, and miss nothing. */
import { afterEach, expect, test } from "bun:test"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { countLines, Shop } from "./shop.ts"

const HANGS = count({ full: 10, short: 1 })
/** A ping every 10 s, of which two must miss their 5 s; the rest is for a busy machine. */
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
    const follower = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    await follower.connect()
    await follower.readUntil(() => follower.lines.length > 100, "100 lines")
    const before = applogs.usage().files.length
    let told = 0
    let answered = 0
    for (let hang = 1; hang <= HANGS; hang++) {
      const began = performance.now()
      real.freeze()
      const isDown = () => states(follower).length === 2 * hang - 1
      await follower.readUntil(isDown, "status down", { timeoutMs: TOLD_MS })
      told = Math.max(told, performance.now() - began)
      const asked = performance.now()
      const { status, body } = await applogs.get("/api/apps/hung/logs?tail=1")
      for await (const _ of body);
      answered = Math.max(answered, performance.now() - asked)
      expect([200, 503]).toContain(status)
      // New requests of a hanging engine must not pile up.
      expect(applogs.usage().files.length).toBeLessThan(before + 30)
      real.thaw()
      await follower.readUntil(() => states(follower).length === 2 * hang, "status up")
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

/** What it was told of the engine itself. */
function states({ told }: Follower): unknown[] {
  return told
    .filter(({ type, data }) => type === "status" && data["service"] === null)
    .map(({ data }) => data["state"])
}
