/** A container takes another one's name, as at a change from blue to green: who looks at the name sees the new one. */
import { expect } from "bun:test"
import { until } from "../sandbox.ts"
import { writer } from "../writer.ts"
import { Follower } from "./follower.ts"
import { testByFile } from "./runtime.ts"
import { describeServed } from "./served.ts"

const APP = "renamed"

describeServed("a container that is renamed", (served) => {
  const title =
    "into a service that a client looks at is heard from then on, and the one that was it no longer"
  testByFile("older Podmans tell times to the second", title, async () => {
    const { real, applogs } = served()
    const start = (name: string) =>
      real.run({ name, labels: { "applogs.app": APP }, command: writer({ name, rate: 500 }) })
    const [blue, green] = [await start("live"), await start("next")]
    const follower = new Follower(applogs, APP, "service=live")
    await follower.connect()
    const linesOf = (name: string) =>
      follower.lines.filter(({ message }) => message.startsWith(name))
    await follower.readUntil(() => linesOf("live").length > 100, "lines of the first one")
    expect(linesOf("next")).toEqual([])
    await real.renameContainer(blue, "last")
    const isKnown = async () => (await applogs.metric("applogs_followers")) === 0
    await until(isKnown, { what: "nobody to be followed" })
    await real.renameContainer(green, "live")
    const since = new Date().toISOString()
    await follower.readUntil(() => linesOf("next").length > 100, "lines of the next one")
    const count = linesOf("live").length
    await follower.readUntil(() => linesOf("next").length > 500, "more lines of the next one")
    expect(linesOf("live")).toHaveLength(count)
    follower.cut()
    const received = linesOf("next").map(({ message }) => message)
    const stored = real.storedLines(green)
    const first = stored.findIndex(({ message }) => message === received[0])
    expect(stored.slice(first, first + received.length).map(({ message }) => message)).toEqual(
      received,
    )
    // None that was written behind the rename is missing.
    expect(first).toBeLessThanOrEqual(stored.findIndex(({ timestamp }) => timestamp >= since))
    expect(follower.gaps).toEqual([])
  })
})
