import { describe, expect, test } from "bun:test"
import { TIMING } from "../../src/apps/live.ts"
import type { Container } from "../../src/runtime.ts"
import { failureOf, never, scene, type Scene } from "./scene.ts"
import { containerOf, type ScriptedHost } from "./scripted-host.ts"
import { settle } from "./virtual-clock.ts"

/** One that has its first list. */
async function kept(prepare?: (host: ScriptedHost) => void): Promise<Scene> {
  const it = scene(prepare)
  await settle()
  it.told()
  return it
}

function placed(app: string, service: string): Partial<Container> {
  return { labels: { "applogs.app": app, "applogs.service": service } }
}

describe("a directory that starts", () => {
  test("has no apps before the first list, and all of them after it", async () => {
    const { directory, clock, told } = scene((it) => {
      it.add(1, { name: "web" })
      it.add(2, { name: "db", state: "exited" })
    })
    expect(directory.up).toBe(false)
    expect((await failureOf(() => directory.apps())).code).toBe("runtime_unavailable")
    await directory.refresh(never)
    expect(directory.up).toBe(true)
    expect(directory.apps().map((app) => app.id)).toEqual(["db", "web"])
    expect(told()).toEqual(["up", "web/web running", "db/db exited"])
    expect(clock.now()).toBe(0)
  })

  test("waits two seconds for its first list, then says that the runtime does not answer", async () => {
    const { directory, clock } = scene((it) => {
      it.hanging = "list"
    })
    const failure = failureOf(() => directory.refresh(never))
    let settled = false
    void failure.then(() => void (settled = true))
    await clock.advance(TIMING.startMs - 1)
    expect(settled).toBe(false)
    await clock.advance(1)
    expect(await failure).toMatchObject({ code: "runtime_unavailable", details: { retryAfter: 1 } })
  })

  test("watches before it lists", async () => {
    const { host, directory, clock } = scene((it) => {
      it.hanging = "watch"
    })
    await settle()
    expect(host.watching).toBe(1)
    expect(host.lists).toBe(0)
    host.hanging = "nothing"
    await clock.advance(TIMING.listMs + TIMING.retryMs)
    expect(directory.up).toBe(true)
  })

  test("comes up by itself when its runtime does", async () => {
    const { host, directory, clock, told } = scene((it) => {
      it.down = true
      it.add(1)
    })
    await clock.advance(60_000)
    expect(directory.up).toBe(false)
    expect(told()).toEqual([])
    host.down = false
    await clock.advance(TIMING.retryMaxMs)
    expect(told()).toEqual(["up", "c1/c1 running"])
  })
})

describe("a directory that is kept", () => {
  test("tells of a container's life, with what the hints know of it", async () => {
    const { host, told } = await kept()
    host.add(1, { state: "created" })
    await settle()
    host.set(1, "running")
    await settle()
    host.tell(1, "oom")
    host.set(1, "exited", "told", 137)
    await settle()
    host.remove(1)
    await settle()
    expect(told()).toEqual([
      "c1/c1 created (created)",
      "c1/c1 running (started)",
      "c1/c1 running (oom)",
      "c1/c1 exited (exited 137)",
      "c1/c1 gone (removed)",
    ])
  })

  test("tells of a container that exited and started between two lists", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    host.set(1, "exited", "told", 1)
    host.set(1, "running")
    await clock.advance(TIMING.ripeMs)
    expect(told()).toEqual(["c1/c1 exited (exited 1)", "c1/c1 running (started)"])
  })

  test("tells the exit of a container that is removed at once", async () => {
    const { host, told } = await kept((it) => it.add(1))
    host.set(1, "exited", "told", 3)
    host.remove(1)
    await settle()
    expect(told()).toEqual(["c1/c1 exited (exited 3)", "c1/c1 gone (removed)"])
  })

  test("takes a doubled hint for one", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    host.set(1, "exited", "doubled", 1)
    host.set(1, "running", "doubled")
    await clock.advance(TIMING.ripeMs)
    expect(told()).toEqual(["c1/c1 exited (exited 1)", "c1/c1 running (started)"])
  })

  test("lets the lists speak alone when every hint is lost", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    host.set(1, "exited", "lost")
    host.add(2, {}, "lost")
    await clock.advance(TIMING.reconcileMs - 1)
    expect(told()).toEqual([])
    await clock.advance(1)
    expect(told()).toEqual(["c1/c1 exited", "c2/c2 running"])
  })

  test("gives a list's change the hint that came while the list was made", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    host.listMs = 20
    host.listShows = "end"
    host.add(2)
    await clock.advance(10)
    host.set(1, "exited", "told", 9)
    await clock.advance(10)
    expect(told()).toContain("c1/c1 exited (exited 9)")
    await clock.advance(100)
    expect(told()).toEqual([])
  })

  test("keeps a hint for the next list when the list that is made does not show it yet", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    host.listMs = 20
    host.add(2)
    await clock.advance(10)
    host.set(1, "exited", "told", 9)
    await clock.advance(10)
    expect(told()).toEqual(["c2/c2 created (created)", "c2/c2 running (started)"])
    await clock.advance(20)
    expect(told()).toEqual(["c1/c1 exited (exited 9)"])
  })

  test("waits for the list that shows an exit, and asks for it again soon", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    host.lagMs = 40
    await clock.advance(100)
    host.set(1, "exited", "told", 3)
    await clock.advance(TIMING.againMs - 1)
    expect(told()).toEqual([])
    await clock.advance(1)
    expect(told()).toEqual(["c1/c1 exited (exited 3)"])
    const before = host.lists
    await clock.advance(TIMING.reconcileMs / 2)
    expect(host.lists).toBe(before)
  })

  test("tells of an exit that no list ever shows, and stops asking for one", async () => {
    const { host, told, clock } = await kept((it) => it.add(1))
    const before = host.lists
    host.tell(1, "exited", "told", 3)
    await clock.advance(TIMING.reconcileMs / 2)
    expect(told()).toEqual(["c1/c1 exited (exited 3)", "c1/c1 running"])
    expect(host.lists - before).toBeLessThan(10)
  })

  test("asks for no list again for containers that are left out, or came and went", async () => {
    const { host, told, clock } = await kept((it) => {
      for (const n of [1, 3]) it.add(n, { labels: { "applogs.ignore": "true" } })
    })
    host.listMs = 5
    const before = host.lists
    host.set(1, "exited")
    host.tell(3, "oom")
    host.add(2)
    host.remove(1)
    host.remove(2)
    await clock.advance(TIMING.ripeMs * 2)
    expect(told()).toEqual([])
    expect(host.lists - before).toBeLessThanOrEqual(2)
  })

  test("tells of what is gone before what is new, in the state that it was last seen in", async () => {
    const { host, changes, told } = await kept((it) => it.add(2))
    changes.length = 0
    host.add(1, { state: "created" })
    host.set(2, "exited")
    host.remove(2)
    await settle()
    const last = changes.find((change) => change.type === "member" && change.gone)
    expect(last).toMatchObject({ member: { container: { state: "exited" } } })
    expect(told()).toEqual([
      "c2/c2 exited (exited 0)",
      "c2/c2 gone (removed)",
      "c1/c1 created (created)",
    ])
  })

  test("moves a renamed container from one app to the other", async () => {
    const { host, directory, changes, told } = await kept((it) => it.add(1, { name: "old" }))
    host.rename(1, "new")
    await settle()
    expect(changes.map((change) => "moved" in change && change.moved)).toEqual([true, true])
    expect(told()).toEqual(["old/old gone (renamed)", "new/new running (renamed)"])
    expect(directory.app("old")).toBeUndefined()
    expect(directory.app("new")?.members.length).toBe(1)
  })

  test("tells of new labels that leave a container where it is", async () => {
    const { host, directory, told } = await kept((it) => it.add(1, { name: "web" }))
    host.put(containerOf(1, { name: "web", labels: { tier: "front" } }))
    await directory.refresh(never)
    expect(told()).toEqual(["web/web running"])
    await directory.refresh(never)
    expect(told()).toEqual([])
  })

  test("makes two lists of a hundred hints, one after the other", async () => {
    const { host, clock } = await kept()
    host.listMs = 5
    const before = host.lists
    for (let n = 0; n < 50; n++) host.add(n)
    await clock.advance(1_000)
    expect(host.lists - before).toBe(2)
    expect(host.mostListsAtOnce).toBe(1)
  })

  test("answers a refresh only with a list that was begun after it was asked for", async () => {
    const { host, directory, clock } = await kept()
    host.listMs = 10
    const first = directory.refresh(never)
    await settle()
    host.add(1, {}, "lost")
    const second = directory.refresh(never)
    await clock.advance(10)
    await first
    expect(directory.app("c1")).toBeUndefined()
    await clock.advance(10)
    await second
    expect(directory.app("c1")).toBeDefined()
  })

  test("lets whoever asked for a refresh leave", async () => {
    const { host, directory, clock } = await kept()
    host.listMs = 10
    const leaving = new AbortController()
    const refresh = directory.refresh(leaving.signal)
    leaving.abort(new Error("left"))
    expect(await refresh.catch((error: unknown) => error)).toEqual(new Error("left"))
    expect(directory.up).toBe(true)
    await clock.advance(10)
  })

  test("orders apps by id, and members by service and creation", async () => {
    const { directory } = await kept((it) => {
      it.add(3, placed("shop", "web"))
      it.add(2, placed("shop", "web"))
      it.add(9, placed("shop", "api"))
      it.add(1, placed("blog", "web"))
    })
    expect(directory.apps().map((app) => app.id)).toEqual(["blog", "shop"])
    expect(directory.app("shop")?.members.map(({ container }) => container.name)).toEqual([
      "c9",
      "c2",
      "c3",
    ])
  })

  test("keeps the others going when a listener throws, and forgets one that leaves", async () => {
    const { host, directory, told } = await kept()
    let calls = 0
    const bad = directory.subscribe(() => {
      calls += 1
      throw new Error("bad listener")
    })
    let later = 0
    directory.subscribe(() => void (later += 1))
    host.add(1, { state: "created" })
    await settle()
    bad()
    host.remove(1)
    await settle()
    expect(calls).toBe(1)
    expect(later).toBe(2)
    expect(told().length).toBe(2)
  })
})
