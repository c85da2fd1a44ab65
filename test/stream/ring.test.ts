import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Member } from "../../src/apps/app.ts"
import { type Item, LineStep } from "../../src/stream/item.ts"
import { Ring } from "../../src/stream/ring.ts"
import { lineOf, memberOf } from "./members.ts"

const web = memberOf(1)

function step(position: string, member: Member = web, size = 1): Item {
  return new LineStep(member, { ...lineOf("x".repeat(size)), position }, position)
}

/** A ring that holds some ten small items. */
function small(): Ring {
  return new Ring(4_200)
}

describe("a ring", () => {
  test("holds what came last, in order, within its bytes, and always the newest item", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6_000), { maxLength: 60 }), (sizes) => {
        const ring = small()
        for (const [index, size] of sizes.entries()) {
          ring.push(step(`p${index}`, web, size))
          expect(ring.end).toBe(index + 1)
          expect(ring.at(index).position).toBe(`p${index}`)
          expect(ring.bytes <= 4_200 || ring.first === index).toBe(true)
        }
        for (let index = ring.first; index < ring.end; index++) {
          expect(ring.at(index).position).toBe(`p${index}`)
        }
        expect(() => ring.at(ring.first - 1)).toThrow("no item")
        expect(() => ring.at(ring.end)).toThrow("no item")
      }),
    )
  })

  test("drops thousands of items, and goes on", () => {
    const ring = small()
    for (let index = 0; index < 5_000; index++) ring.push(step(`p${index}`))
    expect(ring.end).toBe(5_000)
    expect(ring.end - ring.first).toBeLessThan(12)
    expect(ring.at(4_999).position).toBe("p4999")
  })
})

test("a line's step keeps what a client is told, and nothing of what the line was read from", () => {
  for (const told of [lineOf("whole"), { ...lineOf("piece"), partial: true } as const]) {
    const { position } = told
    const read = Object.defineProperty({ ...told, record: told }, "position", {
      get: () => position,
    })
    const item = new LineStep(web, read, "c")
    expect(item).toMatchObject({ kind: "step", member: web, position, cursor: "c" })
    expect(Object.getOwnPropertyDescriptors(item.line)).toEqual(
      Object.getOwnPropertyDescriptors(told),
    )
    expect(item.event).toEqual({ type: "log", member: web, line: told, cursor: "c" })
  }
})

describe("notices", () => {
  test("outlive the lines around them", () => {
    const ring = small()
    const at = lineOf("").timestamp
    const notice = (cursor: string): Item => {
      return { kind: "notice", event: { type: "status", state: "up", at, cursor }, cursor }
    }
    ring.push(notice("n0"))
    for (let index = 0; index < 50; index++) ring.push(step(`p${index}`))
    ring.push(notice("n51"))
    expect(ring.first).toBeGreaterThan(0)
    expect(ring.notices(0)).toEqual([notice("n0"), notice("n51")])
    expect(ring.notices(1)).toEqual([notice("n51")])
    expect(ring.notices(52)).toEqual([])
    for (let index = 0; index < 3_000; index++) ring.push(notice(`${index}`))
    expect(ring.notices(0).length).toBeLessThan(1_012)
  })
})

describe("a place in a ring", () => {
  test("is found as long as its item is there, and the newest of a container for ever", () => {
    const ring = small()
    const other = memberOf(2)
    ring.push(step("quiet", other))
    for (let index = 0; index < 100; index++) ring.push(step(`p${index}`))
    expect(ring.find(other.container.id, "quiet")).toBe(0)
    expect(ring.find(web.container.id, "p99")).toBe(100)
    expect(ring.find(web.container.id, `p${ring.first - 1}`)).toBe(ring.first)
    expect(ring.find(web.container.id, `p${ring.first - 2}`)).toBeUndefined()
    // It belongs to the container that it was said of.
    expect(ring.find(other.container.id, "p99")).toBeUndefined()
    ring.push(step("at last", other))
    expect(ring.find(other.container.id, "quiet")).toBeUndefined()
  })

  test("to which no line has led counts only while it is the newest: a log may be emptied more than once", () => {
    const ring = small()
    const find = (position: string) => ring.find(web.container.id, position)
    ring.push({ kind: "step", member: web, position: "b", cursor: "" })
    expect(find("b")).toBe(0)
    ring.push(step("p1"))
    expect(find("b")).toBeUndefined()
    ring.push({ kind: "step", member: web, position: "b", cursor: "" })
    expect([find("b"), find("p1")]).toEqual([2, 1])
  })

  test("of a container that is gone goes with its items, and nothing is left of it", () => {
    const histories = fc.array(fc.tuple(fc.nat(2), fc.nat(5)), { maxLength: 40 })
    fc.assert(
      fc.property(histories, (history) => {
        const ring = small()
        const members = [memberOf(1), memberOf(2), memberOf(3)]
        ring.begin(memberOf(1).container.id)
        for (const [number, place] of history) ring.push(step(`p${place}`, members[number]))
        for (const { container } of members) ring.close(container.id)
        for (let index = 0; index < 20; index++) ring.push({ kind: "notice", cursor: "" })
        expect([...ring.containers]).toEqual([])
      }),
    )
  })

  test("is forgotten when nobody follows the container any more", () => {
    const ring = small()
    ring.push(step("p"))
    ring.forget(web.container.id)
    expect(ring.find(web.container.id, "p")).toBeUndefined()
    ring.push(step("q"))
    expect(ring.find(web.container.id, "q")).toBe(1)
  })

  test("tells whether all is there that the container has ever said", () => {
    const ring = small()
    ring.begin(web.container.id)
    expect(ring.isWhole(web.container.id, 0)).toBe(true)
    ring.push({ kind: "notice", cursor: "" })
    for (let index = 0; ring.first < 2; index++) {
      expect(ring.isWhole(web.container.id, 0)).toBe(true)
      ring.push(step(`p${index}`))
    }
    expect(ring.isWhole(web.container.id, 0)).toBe(false)
    ring.push(step("p", memberOf(2)))
    expect(ring.isWhole(memberOf(2).container.id, 0)).toBe(false)
  })
})
