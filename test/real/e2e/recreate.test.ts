/** An app's only container is removed and made anew, as a redeploy does: the stream waits for the next one and goes on. */
import { expect, test } from "bun:test"
import { writer } from "../writer.ts"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"

const RECREATIONS = count({ full: 50, short: 4 })

describeServed("an app of one container", (served) => {
  test(`${RECREATIONS} times removed and made anew: each one's lines from the first, and one stream`, async () => {
    const { real, applogs } = served()
    const ledger = new Ledger()
    const start = (name: string) => {
      const labels = { "applogs.app": "again", "applogs.service": "web" }
      return real.run({ name, labels, command: writer({ name, rate: 500 }) })
    }
    let id = await start("again-0")
    const follower = new Follower(applogs, "again", "tail=all")
    await follower.connect()
    for (let round = 0; round < RECREATIONS; round++) {
      const name = `again-${round}`
      const ours = () => follower.lines.filter(({ container }) => container === name)
      await follower.readUntil(() => ours().length > 100, `100 lines of ${name}`)
      await real.stopContainer(id)
      const stored = real.storedLines(id)
      // A log goes with its container: what nobody has read by then is lost.
      await follower.readUntil(() => ours().length >= stored.length, `all lines of ${name}`)
      await real.removeContainer(id)
      const isRemoved = () =>
        follower.told.some(({ data }) => data["container"] === name && data["state"] === "removed")
      await follower.readUntil(isRemoved, `${name} to be removed`)
      ledger.check(name, ours(), stored, { from: 0, to: stored.length })
      id = await start(`again-${round + 1}`)
    }
    await follower.readUntil(
      () => follower.lines.at(-1)?.container === `again-${RECREATIONS}`,
      "a line of the last one",
    )
    follower.cut()
    console.log(`${RECREATIONS} containers removed and made anew: ${ledger.report}`)
    expect(ledger.faults).toEqual([])
    expect(follower.gaps).toEqual([])
    expect(follower.connects).toBe(1)
  })
})
