/** applogs is told to end while many clients follow: each is told so, and all of them come back and miss nothing. */
import { expect, test } from "bun:test"
import { writer } from "../writer.ts"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { countLines, Shop } from "./shop.ts"

const STREAMS = 200
/** Of those that read nothing: they cannot be told, and must hold nobody up. */
const STALLED = 5
const SHUTDOWNS = count({ full: 10, short: 1 })
const BOUND_MS = 5_000

describeServed(`${STREAMS} open streams, and ${STALLED} clients that read nothing`, (served) => {
  test(`${SHUTDOWNS} SIGTERM: an end event for each, exit code 0 within ${BOUND_MS / 1000} s, all lines after it`, async () => {
    const { real, applogs } = served()
    const shop = new Shop(real, "ended")
    await shop.open({ load: 0.01 })
    // 20 MB: more than any buffer on the way to a client holds.
    const command = writer({ name: "old", rate: 100_000, lines: 5_000, padding: 4_000 })
    await real.exited(await real.run({ name: "old", command }))
    const followers = Array.from({ length: STREAMS }, () => {
      return new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    })
    const stalled = Array.from({ length: STALLED }, () => new Follower(applogs, "old", "tail=all"))
    let longest = 0
    for (let shutdown = 1; shutdown <= SHUTDOWNS; shutdown++) {
      for (const each of [...followers, ...stalled]) await each.connect()
      await Promise.all(
        followers.map((each) => {
          const wanted = each.lines.length + 10
          return each.readUntil(() => each.lines.length >= wanted, "10 more lines")
        }),
      )
      const began = performance.now()
      const ended = applogs.end("SIGTERM").then((code) => {
        longest = Math.max(longest, performance.now() - began)
        return code
      })
      await Promise.all(followers.map((each) => each.readUntil(() => false, "the end")))
      expect(await ended).toBe(0)
      for (const { told } of followers) {
        const { type, data } = told.at(-1) ?? {}
        expect([type, data]).toEqual(["end", { reason: "shutdown", retryable: true }])
      }
      await applogs.start()
    }
    for (const each of followers) await each.connect()
    const truth = await shop.close()
    const total = countLines(truth)
    const ledger = new Ledger()
    for (const [index, each] of followers.entries()) {
      await each.readUntil(() => each.lines.length >= total, `all ${total} lines`)
      each.cut()
      ledger.checkWhole(`client ${index}`, each.lines, truth)
      expect(each.gaps).toEqual([])
    }
    for (const each of stalled) each.cut()
    console.log(
      `${SHUTDOWNS} ends of ${STREAMS} streams, ${longest.toFixed(0)} ms at most: ${ledger.report}`,
    )
    expect(ledger.faults).toEqual([])
    expect(longest).toBeLessThan(BOUND_MS)
  })
})
