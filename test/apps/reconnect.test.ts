import { describe, expect, test } from "bun:test"
import { TIMING } from "../../src/apps/live.ts"
import { Failure } from "../../src/errors.ts"
import { failureOf, never, scene } from "./scene.ts"
import { settle } from "./virtual-clock.ts"

describe("a runtime that goes away", () => {
  test("is said once, keeps its last apps for streams, and is said again when it is back", async () => {
    const { host, directory, clock, told } = scene((it) => it.add(1))
    await settle()
    told()
    host.down = true
    host.endWatches()
    await settle()
    expect(directory.up).toBe(false)
    expect(directory.app("c1")).toBeDefined()
    const failure = await failureOf(() => directory.refresh(never))
    expect(failure).toMatchObject({ code: "runtime_unavailable", details: { retryAfter: 1 } })
    expect((await failureOf(() => directory.apps())).code).toBe("runtime_unavailable")
    await clock.advance(20_000)
    expect((await failureOf(() => directory.apps())).details.retryAfter).toBe(5)
    expect(told()).toEqual(["down"])
    host.set(1, "exited", "lost")
    host.down = false
    await clock.advance(TIMING.retryMaxMs)
    expect(told()).toEqual(["up", "c1/c1 exited"])
    expect(directory.apps().length).toBe(1)
  })

  test("and tells old news when it is back does not have it told twice", async () => {
    const { host, clock, told } = scene((it) => it.add(1))
    await settle()
    host.set(1, "exited")
    host.set(1, "running")
    await settle()
    told()
    const [exited, started] = host.told.slice(-2)
    host.endWatches()
    await clock.advance(TIMING.retryMs)
    if (exited && started) host.repeat(exited, started)
    await settle()
    expect(told()).toEqual(["down", "up"])
  })

  test("is tried again after pauses that double from 100 ms to 5 s", async () => {
    const { host, clock } = scene((it) => {
      it.down = true
    })
    await clock.advance(20_000)
    const pauses = host.watchedAt.slice(1).map((at, n) => at - (host.watchedAt[n] as number))
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
  })

  test("is tried again after pauses that are not the same for everybody", async () => {
    const { host, clock } = scene((it) => {
      it.down = true
    }, 0)
    await clock.advance(1_000)
    const pauses = host.watchedAt.slice(1).map((at, n) => at - (host.watchedAt[n] as number))
    expect(pauses).toEqual([50, 100, 200, 400])
  })

  test("whose connection is lost as soon as it stands is not connected to all the time", async () => {
    const { host, clock, told } = scene((it) => {
      it.watchMs = 10
    })
    await clock.advance(60_000)
    expect(told().slice(0, 4)).toEqual(["up", "down", "up", "down"])
    expect(host.watchedAt.length).toBeLessThan(20)
  })

  test("again after it was there for long is tried again at once", async () => {
    const { host, clock } = scene((it) => {
      it.down = true
    })
    await clock.advance(20_000)
    host.down = false
    await clock.advance(60_000)
    const before = host.watchedAt.length
    host.endWatches()
    await clock.advance(TIMING.retryMs)
    expect(host.watchedAt.length).toBe(before + 1)
  })

  test("is not down when nothing but its stream of events was cut, as proxies do where it is silent", async () => {
    const { host, directory, clock, told } = scene((it) => it.add(1))
    await clock.advance(60_000)
    told()
    const before = host.watchedAt.length
    host.endWatches()
    host.set(1, "exited", "lost")
    await settle()
    expect(directory.up).toBe(true)
    expect(host.watchedAt.length).toBe(before + 1)
    expect(told()).toEqual(["c1/c1 exited"])
  })

  test("and only hangs is found out by two pings", async () => {
    const { host, directory, clock, told } = scene((it) => it.add(1))
    await clock.advance(TIMING.pingMs * 3)
    told()
    host.hanging = "ping"
    const oneMiss = TIMING.pingMs + TIMING.pingTimeoutMs
    await clock.advance(oneMiss * 2 - 1)
    expect(directory.up).toBe(true)
    await clock.advance(1)
    expect(told()).toEqual(["down"])
  })

  test("and misses one ping only is not given up", async () => {
    const { host, clock, told } = scene()
    await settle()
    told()
    for (let round = 0; round < 3; round++) {
      host.hanging = "ping"
      await clock.advance(TIMING.pingMs + TIMING.pingTimeoutMs)
      host.hanging = "nothing"
      await clock.advance(TIMING.pingMs)
    }
    expect(told()).toEqual([])
  })

  test("and answers pings, but no list, is down too", async () => {
    const { host, directory, clock, told } = scene()
    await settle()
    told()
    host.hanging = "list"
    const refresh = failureOf(() => directory.refresh(never))
    await clock.advance(TIMING.listMs)
    expect((await refresh).code).toBe("runtime_unavailable")
    expect(told()).toEqual(["down"])
  })
})

describe("a directory that is stopped", () => {
  test.each(["while it runs", "while it is down", "while everything hangs", "before it began"])(
    "holds no timer, no watch and no listener: %s",
    async (when) => {
      const { host, directory, clock, stop, told } = scene((it) => {
        it.down = when === "while it is down"
        it.hanging = when === "while everything hangs" ? "list" : "nothing"
      })
      if (when !== "before it began") await clock.advance(when.includes("hangs") ? 10 : 25_000)
      const refresh = directory.refresh(never).catch((error: unknown) => error)
      stop()
      await settle()
      expect(await refresh).toSatisfy(
        (result) => result === undefined || (result as Failure).code === "runtime_unavailable",
      )
      expect(clock.pending).toBe(0)
      expect(host.watching).toBe(0)
      told()
      await clock.advance(60_000)
      expect(told()).toEqual([])
      expect((await failureOf(() => directory.refresh(never))).code).toBe("runtime_unavailable")
    },
  )
})
