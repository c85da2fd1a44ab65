/** Containers that start during a stream: their lines come from the first one on, however short they live. */
import { expect, test } from "bun:test"
import { SequenceChecker } from "../sequence.ts"
import type { StoredLine } from "../stored.ts"
import { writer } from "../writer.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { startsAtOnce, testWith } from "./runtime.ts"
import { describeServed } from "./served.ts"
import { countLines } from "./shop.ts"

const REPLICAS = 10
const SHORT_LIVED = 20

describeServed("a stream that was there before the containers", (served) => {
  test(`${REPLICAS} replicas started at once: all their lines, from the first`, async () => {
    const { real } = served()
    const follower = await followNew("scaled")
    const ids = await Promise.all(
      Array.from({ length: REPLICAS }, (_, index) => {
        const name = `scaled-web-${index}`
        return real.run({
          name,
          labels: { "applogs.app": "scaled", "applogs.service": "web" },
          command: writer({ name, rate: 500, lines: 500 }),
        })
      }),
    )
    await Promise.all(ids.map((id) => real.exited(id)))
    const truth = storedBy("scaled-web-", ids)
    // Nerdctl may keep nothing of what a container writes just before its end.
    expect(countLines(truth)).toBeWithin(REPLICAS * 450, REPLICAS * 500 + 1)
    await follower.readUntil(() => follower.lines.length >= countLines(truth), "all lines")
    follower.cut()
    const ledger = new Ledger()
    ledger.checkWhole("replicas", follower.lines, truth)
    console.log(`${REPLICAS} replicas at once: ${ledger.report}`)
    expect(ledger.faults).toEqual([])
    expect(follower.gaps).toEqual([])
  })

  test(`${SHORT_LIVED} containers that end at once and stay: all their lines`, async () => {
    const { real } = served()
    const follower = await followNew("brief")
    const ids = await Promise.all(
      Array.from({ length: SHORT_LIVED }, (_, index) => {
        const name = `brief-job-${index}`
        return real.run({
          name,
          labels: { "applogs.app": "brief" },
          command: writer({ name, rate: 100_000, lines: 100 }),
        })
      }),
    )
    await Promise.all(ids.map((id) => real.exited(id)))
    const truth = storedBy("brief-job-", ids)
    await follower.readUntil(() => follower.lines.length >= countLines(truth), "all lines")
    follower.cut()
    const ledger = new Ledger()
    ledger.checkWhole("short-lived", follower.lines, truth)
    console.log(`${SHORT_LIVED} short-lived containers: ${ledger.report}`)
    expect(ledger.faults).toEqual([])
  })

  testWith(
    "removal at the end",
    `${SHORT_LIVED} containers of run --rm, five seconds each: all that the engine held to the end`,
    async () => {
      const { real } = served()
      const follower = await followNew("removed")
      const indexes = Array.from({ length: SHORT_LIVED }).keys()
      await Promise.all(
        Array.from({ length: Math.min(SHORT_LIVED, startsAtOnce) }, async () => {
          for (const index of indexes) {
            const name = `removed-job-${index}`
            const labels = { "applogs.app": "removed" }
            // Not shorter: on a busy machine the engine answers nothing for seconds while it starts them.
            const command = writer({ name, rate: 60, lines: 300 })
            await real.run({ name, labels, command, remove: true })
          }
        }),
      )
      const gone = () => {
        const removed = follower.told.filter(({ data }) => data["state"] === "removed")
        return new Set(removed.map(({ data }) => data["container"])).size === SHORT_LIVED
      }
      await follower.readUntil(gone, `${SHORT_LIVED} containers to be removed`)
      follower.cut()
      // The engine deletes the log as soon as the process has ended: the last lines may go with it.
      const checker = new SequenceChecker()
      for (const { message } of follower.lines) checker.addMessage(message)
      const expected = SHORT_LIVED * 300
      const missing = expected - follower.lines.length
      console.log(
        `${SHORT_LIVED} containers of --rm: ${missing} of ${expected} lines removed unread`,
      )
      expect(checker.problems()).toEqual([])
      const firsts = checker.report().map(({ first }) => first)
      expect(firsts).toEqual(Array.from({ length: 2 * SHORT_LIVED }, () => 1))
      expect(missing).toBeLessThan(expected / 10)
    },
  )

  /** A stream of an app that has one silent container, and no line yet. */
  async function followNew(app: string): Promise<Follower> {
    const { real, applogs } = served()
    await real.run({
      name: `${app}-silent`,
      labels: { "applogs.app": app, "applogs.service": "silent" },
      command: ["/bin/sh", "-c", "trap exit TERM; sleep 600 & wait"],
    })
    const follower = new Follower(applogs, app, "")
    await follower.connect()
    await follower.readUntil(() => follower.lastId !== "", "the first ping")
    return follower
  }

  function storedBy(prefix: string, ids: readonly string[]): Map<string, StoredLine[]> {
    const { real } = served()
    return new Map(ids.map((id, index) => [`${prefix}${index}`, real.storedLines(id)] as const))
  }
})
