/** Containers that get other names, and so another service or another app, while clients look. */
import { afterEach, expect, test } from "bun:test"
import { startDirectory } from "../../src/apps/live.ts"
import { createObserve } from "../../src/observe.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import { parseCursor } from "../../src/stream/cursor.ts"
import { createLogService } from "../../src/stream/logs.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import { toInstant } from "../../src/time.ts"
import { memorySubject } from "../conformance/memory.ts"
import type { MemoryContainer, MemoryHost } from "../conformance/memory-host.ts"
import { until } from "../real/sandbox.ts"
import { FORM, read } from "./client.ts"

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Containers of these names, in one app if it is given, and else each in its own. */
async function createScene(names: readonly string[], app?: string) {
  const { host, runtime } = memorySubject()
  const stop = new AbortController()
  const observe = createObserve({ level: "error", write: () => {} })
  const directory = startDirectory(runtime, { signal: stop.signal })
  closing.push(async () => stop.abort())
  const shutdown = new AbortController().signal
  const service = createLogService({ runtime, directory, observe, ringBytes: 1_000_000, shutdown })
  const labels = app === undefined ? {} : { "applogs.app": app }
  const boxes = await Promise.all(
    names.map((name) => (host as MemoryHost).create({ name, labels })),
  )
  await directory.refresh(stop.signal)
  const rename = async (box: MemoryContainer, name: string) => {
    box.rename(name)
    const isKnown = () =>
      directory
        .apps()
        .some(({ members }) => members.some(({ container }) => container.name === name))
    await until(isKnown, { what: `the name ${name}` })
  }
  const followers = async () =>
    Number(/^applogs_followers (\d+)$/m.exec((await observe.metrics()).body)?.[1])
  const stream = (id: string, query: Partial<LogQuery> = {}) => {
    const known = directory.app(id) ?? { id, members: [] }
    const opened = service.stream(known, { includeNeeds: true, ...query }, FORM)
    closing.push(async () => void (await opened.return()))
    return opened
  }
  const open = (id: string, query: Partial<LogQuery> = {}) => {
    const events: StreamEvent[] = []
    const opened = stream(id, query)
    const reading = (async () => {
      for (;;) {
        const { value, done } = await opened.next()
        if (done) return
        events.push(...read(value))
      }
    })()
    const close = async () => {
      await opened.return()
      await reading
    }
    const lastId = () => parseCursor(events.findLast(({ cursor }) => cursor !== "")?.cursor ?? "")
    const told = () =>
      events.flatMap((event) => {
        if (event.type === "log") return [`${event.member.service}: ${event.line.message}`]
        return event.type === "status" ? [event.state] : event.type === "ping" ? [] : [event.type]
      })
    const hears = (what: string) =>
      until(() => told().includes(what), { what: `${what}, behind ${told().join(", ")}` })
    const isThere = () =>
      until(() => events.some(({ type }) => type === "ping"), { what: "a ping" })
    return { told, hears, isThere, close, lastId }
  }
  return { boxes: boxes as MemoryContainer[], rename, followers, stream, open }
}

const say = (box: MemoryContainer | undefined, text: string) =>
  box?.write([{ stream: "stdout", text: `${text}\n` }])

test("a container that gets another app's name is told as removed, and no longer heard; if it comes back, once", async () => {
  const { boxes, rename, followers, open } = await createScene(["blog"])
  const [box] = boxes
  if (!box) throw new Error("there is one")
  const blog = open("blog")
  await blog.isThere()
  await say(box, "public")
  await blog.hears("blog: public")
  await rename(box, "secret")
  await blog.hears("removed")
  expect(await followers()).toBe(0)
  const secret = open("secret")
  await secret.isThere()
  await say(box, "hidden")
  await secret.hears("secret: hidden")
  await rename(box, "blog")
  await blog.hears("started")
  await until(async () => (await followers()) === 1, { what: "one follower" })
  await say(box, "again")
  await blog.hears("blog: again")
  expect(blog.told()).toEqual(["blog: public", "removed", "started", "blog: again"])
  expect(secret.told()).toEqual(["secret: hidden", "removed"])
})

test("a client hears the container that has its service's name now, and no longer the one that had it", async () => {
  const { boxes, rename, followers, open } = await createScene(["web", "web-new"], "shop")
  const [old, fresh] = boxes as [MemoryContainer, MemoryContainer]
  const client = open("shop", { service: "web" })
  await client.isThere()
  await say(old, "old 1")
  await say(fresh, "fresh 1")
  await client.hears("web: old 1")
  await rename(old, "web-old")
  await until(async () => (await followers()) === 0, { what: "no follower" })
  await say(old, "old 2")
  await rename(fresh, "web")
  await until(async () => (await followers()) === 1, { what: "one follower" })
  await say(fresh, "fresh 2")
  await client.hears("web: fresh 2")
  expect(client.told()).toEqual(["web: old 1", "web: fresh 2"])
})

test("a client that comes behind a rename hears what is followed for others already", async () => {
  const { boxes, rename, open } = await createScene(["a"], "shop")
  const [box] = boxes as [MemoryContainer]
  const all = open("shop")
  await all.isThere()
  await say(box, "before")
  await all.hears("a: before")
  await rename(box, "b")
  const late = open("shop", { service: "b", tail: 10 })
  await late.isThere()
  await say(box, "after")
  await late.hears("b: after")
  expect(late.told()).toEqual(["b: before", "b: after"])
  expect(all.told()).toEqual(["a: before", "b: after"])
})

test("a client that comes back gets no line twice of a container that was another service meanwhile", async () => {
  const { boxes, rename, followers, open } = await createScene(["web", "other"], "shop")
  const [box, other] = boxes as [MemoryContainer, MemoryContainer]
  const [web, side] = [open("shop", { service: "web" }), open("shop", { service: "other" })]
  await web.isThere()
  await side.isThere()
  await say(box, "one")
  await web.hears("web: one")
  await rename(box, "web-old")
  await until(async () => (await followers()) === 1, { what: "one follower" })
  await say(other, "aside")
  await side.hears("other: aside")
  await web.close()
  await rename(box, "web")
  const cursor = side.lastId()
  const back = open("shop", { service: "web", ...(cursor && { cursor }) })
  await back.isThere()
  await say(box, "two")
  await back.hears("web: two")
  expect(back.told()).toEqual(["web: two"])
})

test("what a container says as another app's is not read for who is slow, either", async () => {
  const { boxes, rename, followers, stream } = await createScene(["blog"])
  const [box] = boxes as [MemoryContainer]
  for (let line = 0; line < 150; line++) await say(box, `public ${line}`)
  const slow = stream("blog", { since: toInstant(0n) })
  const lines: string[] = []
  const pull = async () => {
    const { value } = await slow.next()
    const events = value ? read(value) : []
    for (const event of events) if (event.type === "log") lines.push(event.line.message)
    return events.some(({ type }) => type === "ping")
  }
  await pull()
  expect(lines.length).toBeLessThan(150)
  await rename(box, "secret")
  await until(async () => (await followers()) === 0, { what: "no follower" })
  await say(box, "hidden")
  while (!(await pull()));
  expect(lines).not.toContain("hidden")
})

test("what is written between a rename and an exit is heard, however late both are told", async () => {
  const { boxes, open } = await createScene(["next"], "shop")
  const [box] = boxes as [MemoryContainer]
  const web = open("shop", { service: "web" })
  await web.isThere()
  box.rename("web")
  await say(box, "bye")
  await box.exit(0)
  await web.hears("web: bye")
})
