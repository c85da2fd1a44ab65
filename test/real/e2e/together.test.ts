/** All containers of one app are restarted at once, as a redeploy does: the stream goes on and misses nothing. */
import { expect, test } from "bun:test"
import type { StoredLine } from "../stored.ts"
import { writer } from "../writer.ts"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { countLines } from "./shop.ts"

const CONTAINERS = 16
const RESTARTS = count({ full: 40, short: 5 })

describeServed(`an app of ${CONTAINERS} containers`, (served) => {
  test(`${RESTARTS} restarts of all of them at once: lines of each run of each, and no line missing`, async () => {
    const { real, applogs } = served()
    const ids = new Map<string, string>()
    for (let index = 0; index < CONTAINERS; index++) {
      const name = `fleet-${index}`
      const labels = { "applogs.app": "fleet", "applogs.service": "web" }
      ids.set(name, await real.run({ name, labels, command: writer({ name, rate: 50 }) }))
    }
    const follower = new Follower(applogs, "fleet", "tail=all")
    await follower.connect()
    let [seen, run] = [0, 1]
    const runs = new Set<string>()
    /** Whether a line of the present run of each has come. */
    const allCame = () => {
      for (; seen < follower.lines.length; seen++) {
        runs.add(follower.lines[seen]?.message.split(" ", 1)[0] ?? "")
      }
      return [...ids.keys()].every((name) => runs.has(`${name}.${run}`))
    }
    await follower.readUntil(allCame, "lines of all containers")
    for (; run <= RESTARTS;) {
      const restarted = Promise.all([...ids.values()].map((id) => real.restartContainer(id)))
      run++
      await follower.readUntil(allCame, `lines of run ${run} of all containers`)
      await restarted
    }
    await Promise.all([...ids.values()].map((id) => real.stopContainer(id)))
    const truth = new Map<string, readonly StoredLine[]>()
    for (const [name, id] of ids) truth.set(name, real.storedLines(id))
    const total = countLines(truth)
    await follower.readUntil(() => follower.lines.length >= total, `all ${total} lines`)
    follower.cut()
    const ledger = new Ledger()
    ledger.checkWhole("together", follower.lines, truth)
    console.log(`${RESTARTS} restarts of ${CONTAINERS} containers at once: ${ledger.report}`)
    expect(ledger.faults).toEqual([])
    expect(follower.gaps).toEqual([])
    expect(follower.connects).toBe(1)
  })
})
