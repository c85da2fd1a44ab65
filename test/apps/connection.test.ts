import { describe, expect, test } from "bun:test"
import { connect } from "../../src/apps/connection.ts"
import { TIMING } from "../../src/apps/live.ts"
import { observeNothing } from "../../src/observe.ts"
import { ScriptedHost } from "./scripted-host.ts"
import { settle, VirtualClock } from "./virtual-clock.ts"

function connected() {
  const clock = new VirtualClock()
  const host = new ScriptedHost(clock)
  const controller = new AbortController()
  const seen = new Set<string>()
  const lists: { early: number; late: number }[] = []
  const connection = connect({
    runtime: host,
    signal: controller.signal,
    timing: TIMING,
    clock,
    observe: observeNothing,
    seen,
    onList(_, early, late) {
      lists.push({ early: early.length, late: late.length })
      return new Set()
    },
  })
  return { clock, host, controller, seen, lists, connection }
}

describe("a connection", () => {
  test("keeps and remembers only so many hints, however many come", async () => {
    const { clock, host, controller, seen, lists } = connected()
    await settle()
    host.listMs = 10
    for (let n = 0; n < 5_000; n += 1) host.tell(n, "started")
    await clock.advance(20)
    // One for each of the next ping, the next full list, and the list that is asked for again.
    expect(clock.pending).toBeLessThanOrEqual(4)
    const most = Math.max(...lists.map(({ early, late }) => early + late))
    expect(most).toBe(1_000)
    expect(seen.size).toBe(1_000)
    controller.abort()
  })

  test("is lost with the reason that its signal has, even one that was aborted before", async () => {
    const { controller, connection, host } = connected()
    await settle()
    controller.abort("enough")
    expect(await connection.lost).toEqual({ operation: "stop", reason: "enough" })
    expect(await connection.list().catch((error: unknown) => error)).toBe("enough")
    await settle()
    expect(host.watching).toBe(0)
  })

  test("is lost with what the runtime says", async () => {
    const { connection, host, clock } = connected()
    await settle()
    host.endWatches()
    const reason = expect.objectContaining({ code: "runtime_unavailable" })
    expect(await connection.lost).toEqual({ operation: "watch", reason })
    await settle()
    expect(clock.pending).toBe(0)
  })
})
