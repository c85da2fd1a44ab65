/** Logs that are overwritten within a second: whatever is gone before it could be read is said to be gone. */
import { expect } from "bun:test"
import { Chance, count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { checkNumbered, isWritten, numberOf, wrongBounds } from "./numbered.ts"
import { halfReadBytes, testByFile } from "./runtime.ts"
import { describeServed } from "./served.ts"
import { Shop, type Truth } from "./shop.ts"

const SECONDS = count({ full: 60, short: 8 })
/** A file is full after a quarter of a second of the busiest container. */
const LOG_OPTIONS = { "max-size": "64k", "max-file": "3" }

describeServed("logs of max-size=64k, of which three are kept, and 5,000 lines/s", (served) => {
  const title = `${SECONDS} s: nothing is missing but behind a gap, for a client that stays, and one cut all the time`
  testByFile("engines pass over files that are overwritten, and do not say so", title, async () => {
    const { real, applogs } = served()
    const chance = new Chance()
    const shop = new Shop(real, "overwritten")
    await shop.open({ logOptions: LOG_OPTIONS })
    const staying = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    const leaving = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    await staying.connect()
    // The half of its lines, as each of its streams counts for itself.
    const isDone = () => newestOf(staying, "overwritten-web") >= SECONDS * 1_000
    await Promise.all([
      staying.readUntil(isDone, `${SECONDS} s of lines`, { timeoutMs: 2_000 * SECONDS + 30_000 }),
      (async () => {
        while (!isDone()) {
          await leaving.connect()
          expect(await leaving.readBytes(chance.spread(10, 500_000))).toBe(true)
          leaving.cut()
        }
        await leaving.connect()
      })(),
    ])
    const ends = await shop.close()
    for (const [what, client] of Object.entries({ staying, leaving })) {
      await client.readUntil(() => hasEnded(client, ends), "the last lines")
      client.cut()
      const ledger = new Ledger()
      checkNumbered(ledger, what, client, ends)
      const { connects, gaps } = client
      console.log(`${what}, ${connects} connects: ${ledger.report}, ${gaps.length} gaps`)
      expect(ledger.faults).toEqual([])
      expect(wrongBounds(client, halfReadBytes)).toEqual([])
    }
    console.log(`seed ${chance.seed}`)
    await shop.remove()
  })
})

/** Its number, as far as a client has come. */
function newestOf({ lines }: Follower, container: string): number {
  const newest = lines.findLast((line) => line.container === container && isWritten(line.message))
  return newest ? numberOf(newest.message) : 0
}

/** Whether a client has come to the last stored line of each container. */
function hasEnded({ lines }: Follower, ends: Truth): boolean {
  return [...ends].every(([name, stored]) => {
    const last = lines.findLast(({ container }) => container === name)
    return last?.message === stored.at(-1)?.message
  })
}
