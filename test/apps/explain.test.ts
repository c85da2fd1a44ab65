import { describe, expect, test } from "bun:test"
import { explain, type Listed } from "../../src/apps/explain.ts"
import type { Hint } from "../../src/runtime.ts"
import { now } from "../../src/time.ts"

function hints(...changes: Hint["change"][]): Hint[] {
  return changes.map((change) => ({ id: "a".repeat(64), change, at: now() }))
}

function told(before: Listed, after: Listed, ripe: Hint[], fresh: Hint[]): string[] {
  return explain(before, after, ripe, fresh).steps.map(
    ({ state, hint }) => `${state}${hint ? ` (${hint.change})` : ""}`,
  )
}

type Case = [what: string, before: Listed, after: Listed, hints: Hint[], steps: string[]]

describe("explain", () => {
  const shown: Case[] = [
    ["nothing", "running", "running", [], []],
    ["a birth without a hint", "gone", "running", [], ["running"]],
    [
      "a birth in two steps",
      "gone",
      "running",
      hints("created", "started"),
      ["created (created)", "running (started)"],
    ],
    ["a birth whose creation was lost", "gone", "running", hints("started"), ["running (started)"]],
    ["a stale start", "running", "running", hints("created", "started"), []],
    ["a stale exit", "exited", "exited", hints("exited"), []],
    [
      "an exit for want of memory",
      "running",
      "exited",
      hints("oom", "exited"),
      ["running (oom)", "exited (exited)"],
    ],
    [
      "an exit before the next try",
      "running",
      "restarting",
      hints("exited"),
      ["exited (exited)", "restarting"],
    ],
    [
      "a start before a pause",
      "exited",
      "paused",
      hints("started"),
      ["running (started)", "paused"],
    ],
    ["a start of a paused container", "paused", "paused", hints("started"), []],
    ["a state that has no hint", "running", "paused", [], ["paused"]],
    [
      "a removal with the exit before it",
      "running",
      "gone",
      hints("exited", "removed"),
      ["exited (exited)", "gone (removed)"],
    ],
    [
      "a removal whose hint has not come",
      "running",
      "gone",
      hints("exited"),
      ["exited (exited)", "gone"],
    ],
  ]
  test.each(shown)("tells %s, at once or late", (_, before, after, given, expected) => {
    expect(told(before, after, [], given)).toEqual(expected)
    expect(told(before, after, given, [])).toEqual(expected)
    for (let cut = 0; cut <= given.length; cut += 1) {
      expect(told(before, after, given.slice(0, cut), given.slice(cut))).toEqual(expected)
    }
  })

  const ahead: Case[] = [
    ["an exit", "running", "running", hints("exited"), []],
    [
      "the exit of a container that is not listed yet",
      "gone",
      "gone",
      hints("started", "exited"),
      [],
    ],
    [
      "the start of what was created",
      "gone",
      "created",
      hints("created", "started"),
      ["created (created)"],
    ],
    [
      "the start after a restart",
      "running",
      "exited",
      hints("exited", "started"),
      ["exited (exited)"],
    ],
    ["a removal", "exited", "exited", hints("removed"), []],
    ["a restart", "running", "running", hints("exited", "started"), []],
  ]
  test.each(ahead)("waits for the list that shows %s", (_, before, after, fresh, expected) => {
    const { steps, used } = explain(before, after, [], fresh)
    expect(told(before, after, [], fresh)).toEqual(expected)
    expect(used.length).toBe(steps.length)
    expect(used.length).toBeLessThan(fresh.length)
  })

  test("tells in the end what no list has shown", () => {
    const restart = ["exited (exited)", "running (started)"]
    expect(told("running", "running", hints("exited", "started"), [])).toEqual(restart)
    expect(told("running", "running", hints("exited"), [])).toEqual(["exited (exited)", "running"])
    expect(told("exited", "restarting", hints("started"), [])).toEqual([
      "running (started)",
      "restarting",
    ])
    expect(told("running", "running", hints("removed"), [])).toEqual([])
  })

  test("has used every ripe hint, and the fresh ones that it told or knew", () => {
    const ripe = hints("renamed", "oom")
    const fresh = hints("started", "exited", "started")
    expect(explain("running", "exited", ripe, fresh).used).toEqual([...ripe, ...fresh.slice(0, 2)])
    expect(explain("running", "created", ripe, fresh).used).toEqual(ripe)
  })
})
