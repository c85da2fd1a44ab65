import { describe, expect, test } from "bun:test"
import type { Change } from "../../src/apps/directory.ts"
import type { StatusEvent } from "../../src/stream/events.ts"
import { type Seat, Seats } from "../../src/stream/seats.ts"
import { toInstant } from "../../src/time.ts"
import { memberOf } from "./members.ts"
import type { Member } from "../../src/apps/app.ts"
import type { ContainerState, Hint } from "../../src/runtime.ts"

const AT = toInstant(1_787_000_000_000_000_000n)

function scene(members: readonly Member[]) {
  const listeners = new Set<(change: Change) => void>()
  const come: Seat[] = []
  const moves: string[] = []
  const leaves: string[] = []
  const statuses: StatusEvent[] = []
  const seats = new Seats(
    {
      up: true,
      apps: () => [{ id: "shop", members }],
      app: (id) => (id === "shop" ? { id, members } : undefined),
      refresh: async () => {},
      subscribe(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    "shop",
    {
      onSeat: (seat) => come.push(seat),
      onMove: ({ member, gone }) => moves.push(`${member.service}${gone ? " gone" : ""}`),
      onLeave: ({ service }) => leaves.push(service),
      onStatus: (status) => statuses.push(status),
    },
  )
  const tell = (told: Change) => listeners.forEach((listener) => listener(told))
  return { seats, come, moves, leaves, statuses, tell, listeners }
}

function change(member: Member, gone = false, hint?: Partial<Hint>): Change {
  const whole: Hint = { id: member.container.id, change: "started", at: AT, ...hint }
  return { type: "member", member, gone, ...(hint && { hint: whole }) }
}

function inState(member: Member, state: ContainerState): Member {
  return { ...member, container: { ...member.container, state } }
}

const web = memberOf(1)
const redis = memberOf(2, "needs-redis", "redis")

describe("the seats of a stream", () => {
  test("are taken by the containers that are there, without a word", () => {
    const { seats, come, statuses } = scene([web, redis])
    expect([...seats].map(({ member }) => member)).toEqual([web, redis])
    expect(come).toEqual([...seats])
    expect(statuses).toEqual([])
  })

  test("are taken by what comes later, and left by what goes, and a status tells of it", () => {
    const { seats, come, statuses, tell } = scene([])
    const at = AT
    tell(change(web, false, { change: "started" }))
    expect(come).toHaveLength(1)
    tell(change(inState(web, "exited"), false, { change: "exited", exitCode: 3 }))
    tell(change(inState(web, "exited"), true, { change: "removed" }))
    expect(statuses).toEqual([
      { type: "status", member: web, state: "started", at },
      { type: "status", member: inState(web, "exited"), state: "exited", exitCode: 3, at },
      { type: "status", member: inState(web, "exited"), state: "removed", at },
    ])
    expect([...seats]).toEqual([])
    expect(come[0]?.gone).toBe(true)
    expect(come[0]?.bell.count).toBe(3)
  })

  test("know the state without a hint, and running out of memory by one", () => {
    const { statuses, tell } = scene([web])
    tell(change(inState(web, "paused")))
    tell(change(inState(web, "exited"), false, { change: "oom" }))
    expect(statuses.map(({ state }) => state)).toEqual(["paused", "oom"])
    expect(statuses[0]?.at).toMatch(/^\d{4}-/)
  })

  test("keep what a container is called now, but do not tell of it", () => {
    const { seats, moves, statuses, tell } = scene([web])
    const renamed: Member = { ...web, container: { ...web.container, name: "other" } }
    tell(change(renamed))
    tell(change(renamed, false, { change: "renamed" }))
    expect([statuses, moves]).toEqual([[], []])
    expect([...seats].map(({ member }) => member.container.name)).toEqual(["other"])
  })

  test("tell of a container that is another service now, and of one that goes to another app or comes from it", () => {
    const { seats, come, moves, leaves, statuses, tell } = scene([web])
    tell(change({ ...web, service: "old" }, false, { change: "renamed" }))
    tell(change({ ...web, needs: "redis" }))
    expect([moves.splice(0), statuses]).toEqual([["old", "web"], []])
    const moved = (member: Member, gone: boolean): Change => {
      return { ...change(member, gone), moved: true } as Change
    }
    const { id } = web.container
    tell(moved(web, true))
    expect([[...seats], leaves, seats.hasMoved(id)]).toEqual([[], [], true])
    tell(moved(web, false))
    expect(seats.hasMoved(id)).toBe(false)
    tell(change(web, true))
    expect(leaves).toEqual(["web"])
    expect(moves).toEqual(["web gone", "web"])
    expect(statuses.map(({ state }) => state)).toEqual(["removed", "started", "removed"])
    expect(come).toHaveLength(1)
  })

  test("are not for other apps, nor for what is gone before it came", () => {
    const { seats, come, statuses, tell } = scene([web])
    tell(change({ ...memberOf(3), app: "blog" }))
    tell(change(memberOf(4), true))
    expect(come).toHaveLength(1)
    expect([...seats]).toHaveLength(1)
    expect(statuses.map(({ state }) => state)).toEqual(["removed"])
  })

  test("hear that the runtime goes and comes, all of them", () => {
    const { come, statuses, tell } = scene([web, memberOf(5)])
    tell({ type: "runtime", up: false })
    tell({ type: "runtime", up: true })
    expect(come.map(({ bell }) => bell.count)).toEqual([2, 2])
    expect(statuses.map(({ state, member }) => [state, member])).toEqual([
      ["down", undefined],
      ["up", undefined],
    ])
  })

  test("are not listened for any more once they are disposed of", () => {
    const { seats, listeners } = scene([web])
    expect(listeners.size).toBe(1)
    seats[Symbol.dispose]()
    expect(listeners.size).toBe(0)
  })
})
