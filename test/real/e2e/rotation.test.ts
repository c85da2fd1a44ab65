/** Logs that the engine rotates every few seconds, under streams that stay, are cut, and stand still. */
import { expect } from "bun:test"
import { statSync } from "node:fs"
import { SequenceChecker } from "../sequence.ts"
import { logFiles } from "../stored.ts"
import { Chance, count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { testWith } from "./runtime.ts"
import { describeServed } from "./served.ts"
import { countLines, Shop } from "./shop.ts"

const ROTATIONS = count({ full: 60, short: 5 })
/** Makes the busiest of the containers fill a megabyte in about a second. */
const PADDING = 250

describeServed("logs of max-size=1m", (served) => {
  testWith(
    "kept files",
    `${ROTATIONS} rotations, nothing thrown away: a stream that stays, and one cut all the time`,
    async () => {
      const { real, applogs } = served()
      const chance = new Chance()
      const shop = new Shop(real, "rotated")
      await shop.open({ logOptions: { "max-size": "1m", "max-file": "100" }, padding: PADDING })
      const staying = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
      const leaving = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
      await staying.connect()
      const file = real.logFile(shop.id("web"))
      const isRotated = (times: number) => logFiles(file).length > times
      const isDone = () => isRotated(ROTATIONS)
      let cuts = 0
      await Promise.all([
        (async () => {
          for (let times = 1; times <= ROTATIONS; times++) {
            await staying.readUntil(() => isRotated(times), `rotation ${times}`)
          }
        })(),
        (async () => {
          for (; !isDone(); cuts++) {
            await leaving.connect()
            expect(await leaving.readBytes(chance.spread(10, 500_000))).toBe(true)
          }
          await leaving.connect()
        })(),
      ])
      const truth = await shop.close()
      const ledger = new Ledger()
      for (const each of [staying, leaving]) {
        const total = countLines(truth)
        await each.readUntil(() => each.lines.length >= total, `all ${total} lines`)
        each.cut()
        ledger.checkWhole("rotated", each.lines, truth)
        expect(each.gaps).toEqual([])
      }
      console.log(`${ROTATIONS} rotations, ${cuts} cuts: ${ledger.report} (seed ${chance.seed})`)
      expect(ledger.faults).toEqual([])
      await shop.remove()
    },
  )

  testWith(
    "kept files",
    `${ROTATIONS} rotations, only two files kept: what a client that keeps up receives is whole`,
    async () => {
      const { real, applogs } = served()
      const shop = new Shop(real, "forgotten")
      await shop.open({ logOptions: { "max-size": "1m", "max-file": "2" }, padding: PADDING })
      const follower = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
      await follower.connect()
      const file = real.logFile(shop.id("web"))
      const files = new Set<number>()
      const isRotated = (times: number) => {
        // In the middle of a rotation there is none.
        const now = statSync(file, { throwIfNoEntry: false })
        if (now) files.add(now.birthtimeMs)
        return files.size > times
      }
      for (let times = 1; times <= ROTATIONS; times++) {
        await follower.readUntil(() => isRotated(times), `rotation ${times}`)
      }
      const truth = await shop.close()
      const ends = [...truth].map(([name, lines]) => [name, lines.at(-1)?.message] as const)
      const last = () => new Map(follower.lines.slice(-50_000).map((l) => [l.container, l.message]))
      await follower.readUntil(
        () => ends.every(([name, message]) => last().get(name) === message),
        "the last lines",
      )
      follower.cut()
      const checker = new SequenceChecker()
      for (const { message } of follower.lines) checker.addMessage(message)
      console.log(
        `${follower.lines.length} lines over rotations: ${checker.problems().length} faults`,
      )
      expect(follower.gaps).toEqual([])
      expect(checker.problems()).toEqual([])
      await shop.remove()
    },
  )
})
