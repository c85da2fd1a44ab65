import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { StatusEvent } from "../../src/stream/events.ts"
import { Inbox } from "../../src/stream/inbox.ts"
import { toInstant } from "../../src/time.ts"
import { entryOf, memberOf } from "./members.ts"

const member = memberOf(1)

function notice(second: number): StatusEvent {
  return {
    type: "status",
    member,
    state: "started",
    at: toInstant(BigInt(second) * 1_000_000_000n),
  }
}

describe("an inbox", () => {
  test("gives what it took, in order, and all at once", () => {
    const inbox = new Inbox(10_000)
    const [a, b, c] = ["a", "b", "c"].map((text) => entryOf(member, text))
    if (!a || !b || !c) throw new Error("there are three")
    expect(inbox.push([a, b])).toBe(true)
    inbox.notify(notice(1))
    expect(inbox.push([c])).toBe(true)
    expect(inbox.take()).toEqual([a, b, notice(1), c])
    expect(inbox.take()).toEqual([])
    expect(inbox.empty).toBe(true)
  })

  test("rings for everything that comes or is refused", () => {
    const inbox = new Inbox(300)
    const rings: number[] = []
    const listen = (act: () => void) => {
      act()
      rings.push(inbox.bell.count)
    }
    listen(() => inbox.push([entryOf(member, "a")]))
    listen(() => inbox.notify(notice(1)))
    listen(() => inbox.push([entryOf(member, "x".repeat(300))]))
    expect(rings).toEqual([1, 2, 3])
    expect(inbox.full).toBe(true)
  })

  test("holds no more than its bound, takes nothing behind what it refused, and begins anew when told", () => {
    const sizes = fc.array(
      fc.oneof(fc.nat(900), fc.constant("take" as const), fc.constant("reopen" as const)),
    )
    fc.assert(
      fc.property(sizes, (steps) => {
        const inbox = new Inbox(2_000)
        let refused = false
        let held = 0
        for (const [number, step] of steps.entries()) {
          if (step === "take") {
            inbox.take()
            held = 0
          } else if (step === "reopen") {
            inbox.reopen()
            refused = false
          } else {
            const taken = inbox.push([entryOf(member, `${number}`.padEnd(step))])
            if (refused) expect(taken).toBe(false)
            refused = !taken
            if (taken) held += step
            // One batch always has room, or a client would never get a long one.
            expect(held <= 2_000 || held === step).toBe(true)
          }
          expect(inbox.full).toBe(refused)
        }
      }),
    )
  })

  test("that is full still takes notices, the newest thousand", () => {
    const inbox = new Inbox(1)
    const entry = entryOf(member, "a")
    inbox.push([entry])
    expect(inbox.push([entryOf(member, "b")])).toBe(false)
    for (let second = 0; second < 2_500; second++) inbox.notify(notice(second))
    const items = inbox.take()
    expect(items[0]).toEqual(entry)
    expect(items.slice(1)).toEqual(Array.from({ length: 1_000 }, (_, at) => notice(1_500 + at)))
    // What was taken counts no more.
    inbox.notify(notice(1))
    expect(inbox.take()).toEqual([notice(1)])
  })
})
