/** From a snapshot to the stream, over and over, while three containers write: the hand-over is without a seam. */
import { expect, test } from "bun:test"
import { until } from "../sandbox.ts"
import { Chance, count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { grown, Shop, type Truth } from "./shop.ts"
import { readSnapshot, type Row } from "./snapshot.ts"

const HAND_OVERS = count({ full: 200, short: 40 })
/** Logs grow, and with them the time to look through them: each round has new containers. */
const ROUND = 20
/** Clients at once. */
const CLIENTS = 3

describeServed("three containers that write 5,000 lines/s", (served) => {
  for (const by of ["since", "cursor"] as const) {
    const way = by === "since" ? "since=<time of its last line>" : "cursor=<Applogs-Cursor>"
    test(`${HAND_OVERS} snapshots go on as streams by ${way}`, async () => {
      const { real } = served()
      const chance = new Chance()
      const ledger = new Ledger()
      for (let round = 0; round * ROUND < HAND_OVERS; round++) {
        const shop = new Shop(real, `${by}-${round}`)
        await shop.open()
        await until(() => isKnown(shop), { what: `applogs to know all of ${shop.name}` })
        const done = await handOverMany(shop, by, chance)
        const truth = await shop.close()
        for (const each of done) check(ledger, each, truth)
        await shop.remove()
      }
      console.log(`${HAND_OVERS} hand-overs by ${by}, ${ledger.report} (seed ${chance.seed})`)
      expect(ledger.faults).toEqual([])
    })
  }

  /** Of a container that it does not know yet, a snapshot has no line, and the stream behind it has them all. */
  async function isKnown({ name, containers }: Shop): Promise<boolean> {
    const { applogs } = served()
    const app = await applogs.getText(`/api/apps/${name}`)
    return [...containers.values()].every((id) => app.includes(id))
  }

  interface HandOver {
    readonly title: string
    readonly tail: number
    readonly shown: readonly Row[]
    readonly followed: Follower["lines"]
  }

  async function handOverMany(shop: Shop, by: "since" | "cursor", chance: Chance) {
    const done: HandOver[] = []
    let left = ROUND
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (left-- > 0) done.push(await handOver(shop, by, chance))
      }),
    )
    return done
  }

  async function handOver(shop: Shop, by: "since" | "cursor", chance: Chance): Promise<HandOver> {
    const { real, applogs } = served()
    const tail = chance.spread(1, 3_000)
    const snapshot = await readSnapshot(applogs, shop.name, {
      query: `tail=${tail}`,
      format: chance.pick(["text", "json", "ndjson"]),
    })
    const { lines: shown, cursor } = snapshot
    const since = shown.at(-1)?.timestamp ?? ""
    const start = by === "since" ? `since=${since}` : `cursor=${cursor}`
    const pause = chance.pick([0, 0, chance.spread(1_000, 300_000)])
    if (pause > 0) await grown(real.logFile(shop.id("web")), pause)
    const follower = new Follower(applogs, shop.name, `includeNeeds=true&${start}`)
    await follower.connect()
    const wanted = chance.spread(1, 1_000)
    const isEnough = () =>
      follower.lines.length >= 3 * wanted &&
      [...shop.containers.keys()].every((name) =>
        follower.lines.some(({ container }) => container === name),
      )
    await follower.readUntil(isEnough, `${wanted} lines behind ${start}`)
    follower.cut()
    const title = `tail=${tail} ${start} after ${pause} bytes`
    return { title, tail, shown, followed: follower.lines }
  }

  /** The snapshot holds the last lines up to its end's time, the stream those behind it; nothing is between. */
  function check(ledger: Ledger, { title, tail, shown, followed }: HandOver, truth: Truth): void {
    const end = shown.at(-1)?.timestamp ?? ""
    let older = 0
    for (const [name, stored] of truth) {
      const first = stored.findIndex(({ timestamp }) => timestamp > end)
      const seam = first < 0 ? stored.length : first
      older += seam
      const ours = shown.filter(({ service }) => service === serviceOf(name))
      const theirs = followed.filter(({ container }) => container === name)
      ledger.check(`${title} snapshot ${name}`, ours, stored, {
        from: seam - ours.length,
        to: seam,
      })
      ledger.check(`${title} stream ${name}`, theirs, stored, { from: seam })
    }
    expect(shown).toHaveLength(Math.min(tail, older))
  }
})

function serviceOf(container: string): string {
  return container.replace(/^.*-/, "").replace("db", "needs-postgres")
}
