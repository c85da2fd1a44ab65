import { existsSync } from "node:fs"
import { describe, expect, test } from "bun:test"
import { WireClient } from "./client.ts"
import { FakeEngine } from "./engine.ts"

interface Body {
  readonly message?: string
  readonly [key: string]: unknown
}

async function getJson(
  engine: FakeEngine,
  target: string,
): Promise<{ status: number; json: Body }> {
  const { body, response } = await WireClient.get(engine.socketPath, target)
  return { status: response.status, json: JSON.parse(body.toString()) as Body }
}

const EVENTS = "/events?filters=%7B%22type%22%3A%5B%22container%22%5D%7D"

interface ParsedEvent {
  readonly Action: string
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> }
}

function parseEvents(client: WireClient): readonly ParsedEvent[] {
  const lines = client.body.toString().split("\n").slice(0, -1)
  return lines.map((line) => JSON.parse(line) as ParsedEvent)
}

const actions = (client: WireClient) => parseEvents(client).map(({ Action }) => Action)

describe("endpoints", () => {
  test("ping says the API version, and the version is told", async () => {
    await using engine = await FakeEngine.start({ api: "1.43" })
    const { body, response } = await WireClient.get(engine.socketPath, "/_ping")
    expect(body.toString()).toBe("OK")
    expect(response.headers["api-version"]).toBe("1.43")
    expect((await getJson(engine, "/version")).json).toMatchObject({ ApiVersion: "1.43" })
  })

  test("the list holds all containers, or those that run", async () => {
    await using engine = await FakeEngine.start()
    const labels = { "com.docker.compose.project": "shop", odd: "a,b=c" }
    const web = engine.addContainer({ name: "web", labels })
    engine.addContainer({ name: "job" }).exit(3)
    const { json } = await getJson(engine, "/containers/json?all=1")
    expect(json).toMatchObject([
      { Names: ["/job"], State: "exited" },
      { Id: web.id, Names: ["/web"], State: "running", Labels: labels },
    ])
    expect((await getJson(engine, "/containers/json")).json).toMatchObject([{ Id: web.id }])
    web.remove()
    expect((await getJson(engine, "/containers/json?all=true")).json).toHaveLength(1)
  })

  test("inspect tells state, TTY, log driver, and times without zeros at their end", async () => {
    await using engine = await FakeEngine.start({ clock: () => 1_800_000_000_120_000_000n })
    const container = engine.addContainer({ name: "web", tty: true, driver: "local" })
    container.exit(3)
    expect((await getJson(engine, `/v1.41/containers/${container.id}/json`)).json).toMatchObject({
      Created: "2027-01-15T08:00:00.12Z",
      Name: "/web",
      State: { Status: "exited", Running: false, ExitCode: 3 },
      Config: { Tty: true },
      HostConfig: { LogConfig: { Type: "local" } },
    })
  })

  test("a container that waits for its restart counts as running", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    container.crash()
    expect((await getJson(engine, `/containers/${container.id}/json`)).json["State"]).toMatchObject(
      {
        Status: "restarting",
        Running: true,
        Restarting: true,
      },
    )
  })

  test("errors are the engine's own", async () => {
    await using engine = await FakeEngine.start({ api: "1.52", minApi: "1.44" })
    const readable = engine.addContainer()
    const none = engine.addContainer({ driver: "none" })
    const dead = engine.addContainer()
    dead.markDead()
    const unknown = "f".repeat(64)
    const cases: [string, number, string][] = [
      [`/containers/${unknown}/json`, 404, `No such container: ${unknown}`],
      [`/containers/${unknown}/logs?stdout=1`, 404, `No such container: ${unknown}`],
      [
        `/containers/${dead.id}/logs?stdout=1`,
        409,
        "can not get logs from container which is dead or marked for removal",
      ],
      [
        `/containers/${none.id}/logs?stdout=1`,
        501,
        "configured logging driver does not support reading",
      ],
      [`/containers/${none.id}/logs`, 400, "Bad parameters: you must choose at least one stream"],
      [
        `/containers/${readable.id}/logs?stdout=1&since=1e9`,
        500,
        'strconv.ParseInt: parsing "1e9": invalid syntax',
      ],
      [
        "/v1.53/_ping",
        400,
        "client version 1.53 is too new. Maximum supported API version is 1.52",
      ],
      [
        "/v1.43/containers/json",
        400,
        "client version 1.43 is too old. Minimum supported API version is 1.44, please upgrade your client to a newer version",
      ],
    ]
    for (const [target, status, message] of cases) {
      expect(await getJson(engine, target)).toEqual({ status, json: { message } })
    }
    expect(engine.violations).toEqual([])
  })

  test("whatever a reader of logs has no business with is refused and kept", async () => {
    await using engine = await FakeEngine.start()
    const { id } = engine.addContainer()
    const asked: [string, string][] = [
      ["POST", `/containers/${id}/stop`],
      ["DELETE", `/containers/${id}`],
      ["HEAD", "/_ping"],
      ["GET", "/images/json"],
      ["GET", `/containers/${id.slice(0, 12)}/json`],
      ["GET", "/containers/web/json?x=/logs"],
      ["GET", "/containers//logs"],
      ["GET", `/containers/${id}/logs?stdout=1&details=1`],
      ["GET", "/containers/json?limit=1"],
    ]
    for (const [method, target] of asked) {
      const { response } = await WireClient.get(engine.socketPath, target, method)
      expect(response.status).toBe(403)
    }
    expect(engine.requests).toEqual(asked.map((words) => words.join(" ")))
    expect(engine.violations).toHaveLength(asked.length)
  })

  test("the content type of logs is told from API 1.42 on", async () => {
    await using engine = await FakeEngine.start({ api: "1.43" })
    const bare = engine.addContainer()
    const tty = engine.addContainer({ tty: true })
    const type = async (version: string, id: string) => {
      const target = `/${version}/containers/${id}/logs?stdout=1`
      return (await WireClient.get(engine.socketPath, target)).response.headers["content-type"]
    }
    expect(await type("v1.41", bare.id)).toBeUndefined()
    expect(await type("v1.42", bare.id)).toBe("application/vnd.docker.multiplexed-stream")
    expect(await type("v1.42", tty.id)).toBe("application/vnd.docker.raw-stream")
  })
})

describe("events", () => {
  test("tell a container's life as it happens", async () => {
    await using engine = await FakeEngine.start()
    using client = await WireClient.open(engine.socketPath, EVENTS)
    await client.until(() => client.response.status === 200, "the headers")
    const container = engine.addContainer({ name: "web", labels: { a: "b" } })
    container.restart(7)
    container.oom()
    container.rename("web-2")
    container.remove()
    const expected = "create start kill die stop start restart oom die rename destroy".split(" ")
    await client.until(() => actions(client).length === expected.length, "all events")
    expect(actions(client)).toEqual(expected)
    const [create, , , die] = parseEvents(client)
    expect(create?.Actor).toEqual({
      ID: container.id,
      Attributes: { a: "b", image: "box:1", name: "web" },
    })
    expect(die?.Actor.Attributes["exitCode"]).toBe("7")
    expect(client.body.toString()).toMatch(/"timeNano":\d{19}\}/)
  })

  test("are remembered for who asks since a time, 256 of them, until the engine goes", async () => {
    await using engine = await FakeEngine.start()
    for (let count = 0; count < 200; count += 1) engine.addContainer()
    const replayed = async (since: string) => {
      const target = `${EVENTS}&since=${since}`
      using client = await WireClient.open(engine.socketPath, target)
      engine.addContainer({ name: "last", started: false })
      const isLast = () => client.body.includes('"name":"last"')
      await client.until(isLast, "the newest event")
      return actions(client).length
    }
    expect(await replayed("1")).toBeGreaterThanOrEqual(256)
    await engine.stop()
    await engine.start()
    expect(await replayed("1")).toBe(1)
  })

  test("are filtered by action, and lack the fields of old from API 1.52 on", async () => {
    await using engine = await FakeEngine.start({ api: "1.52" })
    const filters = encodeURIComponent('{"type":{"container":true},"event":{"die":true}}')
    const targets = [
      `/v1.51/events?since=1&filters=${filters}`,
      `/events?since=1&filters=${filters}`,
    ]
    engine.addContainer().exit()
    for (const [index, target] of targets.entries()) {
      using client = await WireClient.open(engine.socketPath, target)
      await client.until(() => actions(client).length > 0, "an event")
      expect(actions(client)).toEqual(["die"])
      expect(client.body.includes('"status"')).toBe(index === 0)
    }
  })

  test("get lost and come twice on demand", async () => {
    await using engine = await FakeEngine.start()
    using client = await WireClient.open(engine.socketPath, EVENTS)
    await client.until(() => client.response.status === 200, "the headers")
    engine.dropEvents(1)
    const container = engine.addContainer()
    engine.duplicateEvents(1)
    container.exit()
    container.remove()
    await client.until(() => actions(client).includes("destroy"), "the last event")
    expect(actions(client)).toEqual(["start", "die", "die", "destroy"])
  })
})

describe("the engine's own life", () => {
  test("its socket goes and comes back at the same path, and containers live on", async () => {
    const engine = await FakeEngine.start()
    const container = engine.addContainer()
    const target = `/containers/${container.id}/logs?stdout=1&follow=1`
    using client = await WireClient.open(engine.socketPath, target)
    await client.until(() => client.response.status === 200, "the headers")
    await engine.stop()
    await client.until(() => client.response.state === "broken", "the connection to break")
    expect(existsSync(engine.socketPath)).toBe(false)
    expect(engine.openConnections()).toBe(0)
    container.append("stdout", "written while it was away\n")
    await engine.start()
    const again = await WireClient.get(engine.socketPath, target.replace("&follow=1", ""))
    expect(again.body.toString()).toEndWith("written while it was away\n")
    await engine[Symbol.asyncDispose]()
    expect(existsSync(engine.socketPath)).toBe(false)
  })

  test("its socket may stay behind, with nobody there", async () => {
    await using engine = await FakeEngine.start()
    await engine.stop({ leaveSocket: true })
    expect(existsSync(engine.socketPath)).toBe(true)
    await expect(WireClient.open(engine.socketPath, "/_ping")).rejects.toThrow()
    await engine.start()
    expect((await WireClient.get(engine.socketPath, "/_ping")).response.status).toBe(200)
  })

  test("connections are kept for another request, and counted", async () => {
    await using engine = await FakeEngine.start()
    const answers: string[] = []
    const socket = await Bun.connect({
      unix: engine.socketPath,
      socket: { data: (_, bytes) => void answers.push(bytes.toString()) },
    })
    using probe = await WireClient.open(engine.socketPath, EVENTS)
    for (const count of [1, 2]) {
      socket.write("GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n")
      await probe.until(() => answers.length === count, "an answer")
    }
    expect(engine.openConnections()).toBe(2)
    expect(engine.openRequests()).toEqual([EVENTS])
    socket.end()
    await probe.until(() => engine.openConnections() === 1, "the connection to close")
    engine.disconnect(/events/)
    await probe.until(() => probe.response.state === "broken", "the events to break")
    expect(engine.openRequests()).toEqual([])
  })
})
