/** The event streams of both engines, cut anywhere. */
import { expect, test } from "bun:test"
import { Readable } from "node:stream"
import { EVENTS, parseEvents } from "../../plugins/engine-events.ts"
import type { Hint } from "../../src/runtime.ts"

async function hints(events: readonly object[], chunk = 7): Promise<Hint[]> {
  const text = events.map((each) => `${JSON.stringify(each)}\n`).join("\n")
  const pieces = Array.from({ length: Math.ceil(text.length / chunk) }, (_, index) =>
    Buffer.from(text.slice(index * chunk, (index + 1) * chunk)),
  )
  const came: Hint[] = []
  const { signal } = new AbortController()
  for await (const hint of parseEvents(Readable.from(pieces), signal)) came.push(hint)
  return came
}

function event(Action: string, Attributes: object = {}, more: object = {}) {
  return { Type: "container", Action, Actor: { ID: "a", Attributes }, ...more }
}

test("says what changed, and how a container ended", async () => {
  expect(await hints([event("die", { exitCode: "137" }, { timeNano: 1795272880 })])).toEqual([
    { id: "a", change: "exited", at: "1970-01-01T00:00:01.795272880Z" as never, exitCode: 137 },
  ])
  const changes = await hints(
    ["create", "start", "rename", "destroy", "oom"].map((one) => event(one)),
  )
  expect(changes.map(({ change }) => change)).toEqual([
    "created",
    "started",
    "renamed",
    "removed",
    "oom",
  ])
})

test("knows Podman's words, and asks for them", async () => {
  const changes = await hints([event("died"), event("remove")])
  expect(changes.map(({ change }) => change)).toEqual(["exited", "removed"])
  expect(EVENTS.event).toContain("died")
  expect(EVENTS.event).toContain("remove")
})

test("passes over what is no change of a container, and what is no JSON", async () => {
  const events = [event("exec_start: sh"), { ...event("start"), Type: "image" }, [], event("start")]
  expect((await hints(events)).map(({ change }) => change)).toEqual(["started"])
})
