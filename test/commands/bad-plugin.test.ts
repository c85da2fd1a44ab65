import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Service, untilIt } from "./service.ts"

const PLUGIN = join(import.meta.dir, "bad-plugin-fixture.ts")

const scratch = mkdtempSync(join(tmpdir(), "applogs-bad-"))
afterAll(() => rmSync(scratch, { recursive: true }))

function start(flaw: string): Service {
  return new Service([], { FLAW: flaw }, PLUGIN)
}

/** Ends it, and makes sure that it ends as any other. */
async function expectEnd(service: Service): Promise<void> {
  const asked = performance.now()
  service.stop()
  expect(await service.exited).toBe(0)
  expect(performance.now() - asked).toBeLessThan(5_000)
}

async function expectGood(service: Service): Promise<void> {
  const response = await service.get("/api/apps/good/logs")
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("hello")])
}

/** What a stream says until it has said this. */
async function streamUntil(service: Service, app: string, words: string): Promise<string> {
  const leaving = new AbortController()
  const response = await service.get(`/api/apps/${app}/logs/stream?tail=9`, leaving.signal)
  let seen = ""
  for await (const chunk of response.body ?? []) {
    seen += new TextDecoder().decode(chunk)
    if (seen.includes(words)) break
  }
  leaving.abort()
  expect(seen).toContain(words)
  return seen
}

describe("a plugin file that cannot be used", () => {
  mkdirSync(join(scratch, "directory"))
  writeFileSync(join(scratch, "syntax.ts"), "export const ok = 1\nexport const =")
  writeFileSync(join(scratch, "throws.ts"), `throw new Error("broken\\ninside")`)
  writeFileSync(join(scratch, "hangs.ts"), "await new Promise(() => {})\nexport const plugin = {}")
  writeFileSync(join(scratch, "empty.ts"), "export const runtime = {}")
  writeFileSync(join(scratch, "old.ts"), `export const plugin = { name: "old", api: 0 }`)

  test.each([
    ["missing.ts", "", "there is no file PATH"],
    ["directory", "", "PATH is not a file"],
    ["syntax.ts", "", 'PATH cannot be loaded: Expected identifier but found "=" (line 2)'],
    ["throws.ts", "", "PATH cannot be loaded: broken"],
    [
      "hangs.ts",
      "",
      "PATH cannot be loaded: it was not loaded within 5000 ms: what does it await?",
    ],
    ["empty.ts", "", 'PATH exports no "plugin"'],
    [
      "old.ts",
      "",
      "PATH was written for another contract: it says version 0, and this is version 1",
    ],
    [PLUGIN, "create throws", "bad: create() failed: no"],
    [PLUGIN, "create gives nothing", "bad: create() failed: it gave no runtime: one has ping(), …"],
  ])("%s %s is refused with exit code 2 and one line", async (file, flaw, expected) => {
    const path = file.startsWith("/") ? file : join(scratch, file)
    await using service = new Service([], { FLAW: flaw }, path)
    expect(await service.exited).toBe(2)
    const [begin = ""] = expected.replace("PATH", path).split("…")
    expect(service.errors).toStartWith(`applogs: --runtime: ${begin}`)
    expect(service.errors.trimEnd().split("\n")).toHaveLength(1)
  })
})

describe("a plugin that breaks the contract while it is served", () => {
  test.each([
    [
      "read throws at once",
      502,
      "runtime_invalid",
      "the plugin bad, read(): threw: thrown at once",
    ],
    ["read rejects", 502, "runtime_invalid", "the plugin bad, read(): threw: rejected"],
    ["read gives nothing to iterate", 502, "runtime_invalid", "the plugin bad, read(): threw: "],
    [
      "read gives a line without text",
      502,
      "runtime_invalid",
      "gave something wrong at /lines/0/message",
    ],
    ["read gives a position that no id can carry", 502, "runtime_invalid", "wrong at /position"],
    ["read is unavailable", 503, "runtime_unavailable", "bad: it is away"],
    ["read is unreadable", 501, "log_driver_unreadable", "bad: nothing is kept"],
  ])("%s: %i, and others are served", async (flaw, status, code, detail) => {
    await using service = start(flaw)
    await service.listening()
    await expectGood(service)
    const response = await service.get("/api/apps/bad/logs")
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code, detail: expect.stringContaining(detail) })
    if (status === 502) {
      const seen = await streamUntil(service, "bad", "event: problem\n")
      expect(seen).toContain(detail)
      expect(seen).not.toContain("event: forged")
      expect(service.errors).toContain('level=warn event="read failed" container=bad reason=')
      expect(service.errors).toContain('level=error event="request failed" requestId=')
    }
    if (status === 501) await streamUntil(service, "bad", '"reason":"unreadable"')
    await expectGood(service)
    await expectEnd(service)
  })

  test("read hangs: others are served, and it ends in time", async () => {
    await using service = start("read hangs")
    await service.listening()
    await expectGood(service)
    void service.get("/api/apps/bad/logs").catch(() => {})
    void service.get("/api/apps/bad/logs/stream").catch(() => {})
    await untilIt("was asked", async () => (await metric(service, "streams_open")) === "1")
    await expectGood(service)
    await expectEnd(service)
  })

  test("read hangs: a client that leaves gives its place back", async () => {
    await using service = start("read hangs")
    await service.listening()
    await expectGood(service)
    const leaving = new AbortController()
    await service.get("/api/apps/bad/logs/stream", leaving.signal)
    expect(await metric(service, "streams_open")).toBe("1")
    leaving.abort()
    await untilIt("was left", async () => (await metric(service, "streams_open")) === "0")
    await expectEnd(service)
  })

  test("a rejection that is left behind is told, and hurts nobody", async () => {
    await using service = start("read leaves a rejection behind")
    await service.listening()
    await expectGood(service)
    await streamUntil(service, "bad", "hello")
    await untilIt("was told", () => service.errors.includes("left behind"))
    await expectGood(service)
    await expectEnd(service)
  })

  test.each([
    ["list gives a short id", "the plugin bad, list(): gave something wrong at /1/id"],
    ["watch throws", "the plugin bad, watch(): threw: no events"],
  ])("%s: the runtime is down, and its log says why", async (flaw, reason) => {
    await using service = start(flaw)
    await service.listening()
    const response = await service.get("/api/apps")
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: "runtime_unavailable" })
    expect((await service.get("/healthz")).status).toBe(200)
    expect(service.errors).toContain(`event="runtime down" runtime=bad reason="${reason}`)
    await expectEnd(service)
  })

  test("list hangs: the runtime is down, and it ends in time", async () => {
    await using service = start("list hangs")
    await service.listening()
    expect((await service.get("/readyz")).status).toBe(503)
    expect((await service.get("/api/apps")).status).toBe(503)
    expect((await service.get("/api/apps/good/logs")).status).toBe(503)
    await expectEnd(service)
  })

  test("disposal hangs: it ends in time", async () => {
    await using service = start("disposal hangs")
    await service.listening()
    await expectGood(service)
    await expectEnd(service)
  })

  test("disposal rejects: it ends, and says what was said", async () => {
    await using service = start("disposal rejects")
    await service.listening()
    await expectGood(service)
    await expectEnd(service)
    expect(service.errors).toContain('event="runtime not closed" runtime=bad reason="cannot close"')
  })
})

async function metric(service: Service, name: string): Promise<string | undefined> {
  const text = await (await service.get("/metrics")).text()
  return new RegExp(`^applogs_${name} (.*)$`, "m").exec(text)?.[1]
}
