/** Beside a client that reads nothing, the others hear of every new container and of its end, and of its lines, at once. */
import { expect, test } from "bun:test"
import { writer } from "../writer.ts"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { describeServed } from "./served.ts"

const NEWCOMERS = count({ full: 50, short: 5 })
/** From its start on; the rest of it is the machine's. */
const BOUND_MS = 10_000

describeServed("a client that reads nothing", (served) => {
  test(`beside it, another one is told of ${NEWCOMERS} new containers, each within ${BOUND_MS / 1000} s`, async () => {
    const { real, applogs } = served()
    const labels = { "applogs.app": "busy" }
    // 20 MB: more than any buffer on the way to a client holds.
    const command = writer({ name: "busy-old", rate: 100_000, lines: 5_000, padding: 4_000 })
    const old = await real.run({ name: "busy-old", labels, command })
    await real.exited(old)
    const whole = real.storedLines(old).length
    const stalled = new Follower(applogs, "busy", "tail=all")
    await stalled.connect()
    const healthy = new Follower(applogs, "busy", "")
    await healthy.connect()
    await healthy.readUntil(() => healthy.lastId !== "", "the first ping")
    const times: number[] = []
    for (let newcomer = 1; newcomer <= NEWCOMERS; newcomer++) {
      const name = `busy-new-${newcomer}`
      const id = await real.run({ name, labels, command: writer({ name, rate: 50, lines: 50 }) })
      const began = performance.now()
      const states = () =>
        healthy.told
          .filter(({ type, data }) => type === "status" && data["container"] === name)
          .map(({ data }) => data["state"])
      const lines = () => healthy.lines.filter(({ container }) => container === name).length
      await healthy.readUntil(() => states().includes("started"), `${name} to be told of`)
      await healthy.readUntil(() => lines() > 0, `a line of ${name}`)
      times.push(performance.now() - began)
      await real.exited(id)
      await healthy.readUntil(() => states().includes("exited"), `the end of ${name}`)
      const stored = real.storedLines(id).length
      await healthy.readUntil(() => lines() === stored, `all lines of ${name}`)
      // A list may have shown it before it was started.
      expect(states().filter((state) => state !== "created")).toEqual(["started", "exited"])
    }
    const stuck = stalled.lines.length
    await stalled.readUntil(() => stalled.lines.length >= whole, "what it had left unread")
    for (const each of [stalled, healthy]) {
      each.cut()
      expect(each.gaps).toEqual([])
      expect(each.connects).toBe(1)
    }
    console.log(
      `${NEWCOMERS} new containers: at most ${Math.max(...times).toFixed(0)} ms to the first line`,
    )
    expect(stuck).toBe(0)
    expect(Math.max(...times)).toBeLessThan(BOUND_MS)
  })
})
