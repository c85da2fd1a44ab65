/** Everything around a stream is restarted: applogs, a container, the engine. The client misses nothing. */
import { expect, test } from "bun:test"
import { Chance, count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { countLines, Shop } from "./shop.ts"

const APPLOGS_RESTARTS = count({ full: 200, short: 6 })
const CONTAINER_RESTARTS = count({ full: 20, short: 3 })
const ENGINE_RESTARTS = count({ full: 20, short: 3 })

describeServed("streams of 5,000 lines/s", (served) => {
  test(`${APPLOGS_RESTARTS} restarts of applogs, every other one a kill -9`, async () => {
    const { real, applogs } = served()
    const chance = new Chance()
    const shop = new Shop(real, "restarted")
    await shop.open()
    const follower = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    for (let restart = 0; restart < APPLOGS_RESTARTS; restart++) {
      await follower.connect()
      await more(follower, chance.spread(1, 10_000))
      if (restart % 2 === 0) {
        const ended = applogs.end("SIGTERM")
        await follower.readUntil(() => false, "the end of the stream")
        expect(await ended).toBe(0)
        const { type, data } = follower.told.at(-1) ?? {}
        expect([type, data]).toEqual(["end", { reason: "shutdown", retryable: true }])
      } else {
        expect(await applogs.end("SIGKILL")).toBe("SIGKILL")
        await follower.readUntil(() => false, "the end of the connection")
      }
      await applogs.start()
    }
    await follower.connect()
    await finish(shop, follower, `${APPLOGS_RESTARTS} restarts of applogs (seed ${chance.seed})`)
  })

  test(`${CONTAINER_RESTARTS} restarts of a container during one stream`, async () => {
    const { real, applogs } = served()
    const chance = new Chance()
    const shop = new Shop(real, "again")
    await shop.open()
    const follower = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
    await follower.connect()
    for (let restart = 1; restart <= CONTAINER_RESTARTS; restart++) {
      await more(follower, chance.spread(1, 10_000))
      const restarted = real.restartContainer(shop.id("web"))
      const isNew = () => follower.lines.at(-1)?.message.startsWith(`again-web.${restart + 1} `)
      await follower.readUntil(() => isNew() === true, `lines of run ${restart + 1}`)
      await restarted
    }
    const told = () =>
      follower.told
        .filter(({ type, data }) => type === "status" && data["container"] === "again-web")
        .map(({ data }) => data["state"])
    // They may come behind the lines: a restart that no list has shown is told after a while.
    await follower.readUntil(
      () => told().length >= 2 * CONTAINER_RESTARTS,
      "status of all restarts",
    )
    await finish(
      shop,
      follower,
      `${CONTAINER_RESTARTS} restarts of a container (seed ${chance.seed})`,
    )
    expect(follower.connects).toBe(1)
    const expected = Array.from({ length: CONTAINER_RESTARTS }, () => ["exited", "started"])
    expect(told().slice(0, 2 * CONTAINER_RESTARTS)).toEqual(expected.flat())
  })

  test(`${ENGINE_RESTARTS} kills (or ends, where nothing can be killed) and starts of the engine, whose containers write on`, async () => {
    const { real, applogs } = served()
    const chance = new Chance()
    const shop = new Shop(real, "engine")
    await shop.open()
    const query = "includeNeeds=true&tail=all"
    const staying = new Follower(applogs, shop.name, query)
    const leaving = new Follower(applogs, shop.name, query)
    await staying.connect()
    for (let restart = 1; restart <= ENGINE_RESTARTS; restart++) {
      await leaving.connect()
      const wanted = chance.spread(1, 10_000)
      await Promise.all([more(staying, wanted), more(leaving, wanted)])
      const isKill = restart % 3 !== 0 && real.kill !== undefined
      const killed = isKill ? real.kill?.() : real.stop()
      leaving.cut()
      await killed
      await staying.readUntil(() => states(staying).length === 2 * restart - 1, "status down")
      await real.start()
      await staying.readUntil(() => states(staying).length === 2 * restart, "status up")
      await more(staying, 1)
    }
    await leaving.connect()
    const title = `${ENGINE_RESTARTS} restarts of the engine (seed ${chance.seed})`
    await finish(shop, staying, title, leaving)
    expect(staying.connects).toBe(1)
    const expected = Array.from({ length: ENGINE_RESTARTS }, () => ["down", "up"])
    expect(states(staying)).toEqual(expected.flat())
  })

  /** Stops the writers; all that the engine stored must have come, to each of the clients. */
  async function finish(shop: Shop, follower: Follower, title: string, other = follower) {
    const truth = await shop.close()
    const ledger = new Ledger()
    for (const each of new Set([follower, other])) {
      const total = countLines(truth)
      await each.readUntil(() => each.lines.length >= total, `all ${total} lines`)
      each.cut()
      ledger.checkWhole(title, each.lines, truth)
      expect(each.gaps).toEqual([])
    }
    console.log(`${title}: ${ledger.report}`)
    expect(ledger.faults).toEqual([])
    await shop.remove()
  }
})

async function more(follower: Follower, lines: number): Promise<void> {
  const wanted = follower.lines.length + lines
  const came = await follower.readUntil(
    () => follower.lines.length >= wanted,
    `${lines} more lines`,
  )
  expect(came).toBe(true)
}

/** What it was told of the engine itself. */
function states({ told }: Follower): unknown[] {
  return told
    .filter(({ type, data }) => type === "status" && data["service"] === null)
    .map(({ data }) => data["state"])
}
