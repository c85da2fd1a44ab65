import { describe, expect, test } from "bun:test"
import type { Member } from "../../src/apps/app.ts"
import { MovingCursor } from "../../src/stream/cursor.ts"
import { findFooting } from "../../src/stream/footing.ts"
import { LineStep } from "../../src/stream/item.ts"
import { Ring } from "../../src/stream/ring.ts"
import { toInstant } from "../../src/time.ts"
import { lineOf, memberOf } from "./members.ts"

const [web, worker, gone] = [memberOf(1), memberOf(2), memberOf(3)] as const

function ringOf(...steps: readonly (readonly [Member, string])[]): Ring {
  const ring = new Ring(1_000_000)
  for (const [member, position] of steps) ring.push(stepOf(member, position))
  return ring
}

function stepOf(member: Member, position: string): LineStep {
  return new LineStep(member, { ...lineOf(position), position }, "")
}

function cursorOf(...places: readonly (readonly [Member, string])[]): MovingCursor {
  const cursor = new MovingCursor({ opened: toInstant(1n), positions: new Map() })
  for (const [{ container }, position] of places) cursor.move(container.id, position)
  return cursor
}

describe("a client that has read the logs goes on in the ring", () => {
  const ring = ringOf([web, "w1"], [worker, "k1"], [web, "w2"], [worker, "k2"], [web, "w3"])
  const members = [web, worker]

  test("behind what it has seen of each container", () => {
    const cursor = cursorOf([web, "w2"], [worker, "k1"])
    const footing = findFooting({ ring, since: 5, members, cursor })
    expect(footing?.from).toBe(2)
    const isNew = [web, worker, web].map((member, at) => footing?.isNew(2 + at, member))
    expect(isNew).toEqual([false, true, true])
  })

  test("only if the ring knows where it stands in each", () => {
    const places = [
      cursorOf([web, "w2"]),
      cursorOf([web, "w2"], [worker, "k9"]),
      cursorOf([web, "w9"], [worker, "k1"]),
    ]
    for (const cursor of places) {
      expect(findFooting({ ring, since: 0, members, cursor })).toBeUndefined()
    }
  })

  test("with what has happened since it came", () => {
    const cursor = cursorOf([web, "w3"], [worker, "k2"])
    const footing = findFooting({ ring, since: 1, members, cursor })
    expect(footing?.from).toBe(1)
    expect(footing?.isNew(1, worker)).toBe(false)
  })

  test("with all of a container that has come and gone meanwhile, or unsure of it", () => {
    const late = ringOf([web, "w1"])
    late.begin(gone.container.id)
    late.push(stepOf(gone, "g1"))
    const arrival = { ring: late, since: 1, members: [web] }
    const whole = findFooting({ ...arrival, cursor: cursorOf([web, "w1"]) })
    expect(whole?.unsure.size).toBe(0)
    expect(whole?.isNew(1, gone)).toBe(true)
    const seen = findFooting({ ...arrival, cursor: cursorOf([web, "w1"], [gone, "g1"]) })
    expect(seen?.isNew(1, gone)).toBe(false)
    // It wrote before the client came and after that, and is gone before the client could read it.
    const missed = findFooting({ ...arrival, since: 2, cursor: cursorOf([web, "w1"]) })
    expect([...(missed?.unsure ?? [])]).toEqual([gone.container.id])
    const lost = findFooting({ ...arrival, cursor: cursorOf([web, "w1"], [gone, "g0"]) })
    expect([...(lost?.unsure ?? [])]).toEqual([gone.container.id])
    const torn = ringOf([web, "w1"], [gone, "g5"])
    const part = findFooting({ ...arrival, ring: torn, cursor: cursorOf([web, "w1"]) })
    expect([...(part?.unsure ?? [])]).toEqual([gone.container.id])
  })
})
