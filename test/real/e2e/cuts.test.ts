/** Streams that are cut at any byte and go on with Last-Event-ID: every line once, over any number of cuts. */
import { expect, test } from "bun:test"
import { Chance, count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { Shop } from "./shop.ts"

const CUTS = count({ full: 200, short: 40 })
/** For each client. */
const CUTS_EACH = 10
/** At once: each round has new containers. */
const CLIENTS = 4

describeServed("streams of 5,000 lines/s", (served) => {
  test(`${CUTS} cuts at random bytes, each resumed with Last-Event-ID`, async () => {
    const { real, applogs } = served()
    const chance = new Chance()
    const ledger = new Ledger()
    let inside = 0
    for (let round = 0; round * CUTS_EACH * CLIENTS < CUTS; round++) {
      const shop = new Shop(real, `cut-${round}`)
      await shop.open()
      const followers = Array.from({ length: CLIENTS }, () => {
        return new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
      })
      const cutMany = async (follower: Follower) => {
        for (let cut = 0; cut < CUTS_EACH; cut++) {
          await follower.connect()
          expect(await follower.readBytes(chance.spread(10, 500_000))).toBe(true)
          if (follower.isInsideEvent) inside++
          follower.cut()
        }
        await follower.connect()
      }
      await Promise.all(followers.map(cutMany))
      const truth = await shop.close()
      const total = [...truth.values()].reduce((sum, lines) => sum + lines.length, 0)
      for (const [index, follower] of followers.entries()) {
        await follower.readUntil(() => follower.lines.length >= total, `all ${total} lines`)
        follower.cut()
        ledger.checkWhole(`client ${index} of round ${round}`, follower.lines, truth)
        expect(follower.gaps).toEqual([])
      }
      await shop.remove()
    }
    console.log(`${CUTS} cuts, ${inside} inside an event, ${ledger.report} (seed ${chance.seed})`)
    expect(ledger.faults).toEqual([])
  })
})
