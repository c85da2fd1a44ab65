import { describe, expect, test } from "bun:test"
import { Backoff } from "../../src/client/backoff.ts"
import { endWell, type Outlet } from "../../src/client/ending.ts"
import { tail } from "../../src/client/tail.ts"
import { Failure } from "../../src/errors.ts"
import { endEvent, type StreamEvent } from "../../src/stream/events.ts"
import type { Instant } from "../../src/time.ts"
import { AT, createFake, DATABASE, type Fake, makeLog, until, WEB } from "../http/fakes.ts"
import { startServer, type TestServer } from "../http/server.ts"

const LOOK = { output: "raw", times: false, isColored: false, isTerminal: false } as const

/** A tail in this process, and what it has said. */
function follow(
  at: TestServer | { base: string; sockets: [] },
  options: { silenceMs?: number } = {},
) {
  const stop = new AbortController()
  const said = { out: "", err: "" }
  const outlet: Outlet = {
    output: async (text) => void (said.out += text),
    complain: (text) => (said.err += text),
    signal: stop.signal,
  }
  const local = "socket" in at ? { base: "http://localhost/", sockets: [at.socket] } : at
  const where = { ...local, headers: {} }
  const asked = { app: "shop", query: { tail: "10" }, where, look: LOOK, cursorFile: undefined }
  const backoff = new Backoff({ firstMs: 1, mostMs: 5 })
  const ended = endWell(outlet, () => tail(asked, outlet, { ...options, backoff }))
  return { said, ended, stop: () => stop.abort("SIGINT") }
}

async function push(fake: Fake, stream: number, ...events: StreamEvent[]): Promise<void> {
  await until(() => fake.streams.length > stream)
  fake.streams[stream]?.push(...events)
}

describe("what happens around the lines", () => {
  test("is told on stderr, in one line each, whatever it is named", async () => {
    await using server = await startServer()
    const { fake } = server
    const { said, ended, stop } = follow(server)
    const odd = { ...WEB, service: "\x1b[2Jodd\nname" }
    await push(
      fake,
      0,
      { type: "status", member: WEB, state: "exited", exitCode: 137, at: AT, cursor: "v1.a" },
      { type: "status", state: "down", at: AT, cursor: "v1.b" },
      { type: "gap", member: DATABASE, reason: "rotated", from: AT, cursor: "v1.c" },
      { type: "status", member: odd, state: "started", at: AT, cursor: "v1.d" },
      makeLog("up again", "v1.e"),
    )
    await until(() => said.out !== "")
    stop()
    expect(await ended).toBe(130)
    expect(said.out).toBe("up again\n")
    expect(said.err.split("\n")).toEqual([
      "applogs: web: exited (137)",
      "applogs: the container runtime: down",
      `applogs: needs-postgres: lines may be missing or come twice here from ${AT}: the log was rotated away`,
      "applogs: \\x1b[2Jodd\\x0aname: started",
      "",
    ])
  })

  test("is the last where it is the end", async () => {
    await using server = await startServer()
    const { said, stop } = follow(server)
    await push(server.fake, 0, makeLog("one"), endEvent("failed", ""), makeLog("never"))
    await until(() => server.fake.streams.length === 2)
    expect(said.out).toBe("one\n")
    expect(said.err).toStartWith(
      "applogs: connection lost: the service ended it (failed); resuming\n",
    )
    stop()
  })
})

describe("a tail that comes back", () => {
  test("says the last position that it had, also one that came without a line", async () => {
    await using server = await startServer()
    const { fake } = server
    const { stop } = follow(server)
    await push(fake, 0, makeLog("one", "v1.1"), { type: "ping", at: AT, lagMs: 0, cursor: "v1.2" })
    await push(fake, 0, endEvent("shutdown", ""))
    await until(() => fake.streams.length > 1)
    const { cursor } = fake.streams[1]?.query ?? {}
    expect(cursor).toEqual({
      opened: "1970-01-01T00:00:00.000000002Z" as Instant,
      positions: new Map(),
    })
    stop()
  })

  test("takes a silence for a lost connection", async () => {
    await using server = await startServer()
    const { said, stop } = follow(server, { silenceMs: 50 })
    await until(() => said.err.includes("resumed"))
    expect(said.err).toStartWith(
      "applogs: connection lost: nothing has come for 0.05 s; resuming\napplogs: resumed\n",
    )
    stop()
  })

  test("does not wait for an answer that never comes", async () => {
    using mute = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
    const { said, ended } = follow(
      { base: `http://127.0.0.1:${mute.port}/`, sockets: [] },
      { silenceMs: 50 },
    )
    expect(await ended).toBe(5)
    expect(said.err).toBe(`applogs: http://127.0.0.1:${mute.port} does not answer within 0.05 s\n`)
  })

  test("waits behind a problem; but at first, one ends it", async () => {
    await using server = await startServer()
    const { fake } = server
    const { said, ended, stop } = follow(server)
    await push(fake, 0, makeLog("one"))
    await until(() => said.out !== "")
    fake.streams[0]?.fail(new Failure("runtime_unavailable", "it is away"))
    await until(() => said.err.includes("resuming"))
    expect(said.err).toStartWith("applogs: it is away\napplogs: connection lost: ")
    stop()
    expect(await ended).toBe(130)
    await using empty = await startServer({}, createFake({ streams: 0 }))
    const refused = follow(empty)
    expect(await refused.ended).toBe(1)
    expect(refused.said.err.split("\n")).toHaveLength(2)
  })
})
