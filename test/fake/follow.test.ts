import { describe, expect, test } from "bun:test"
import { logsOf, parseFrames, readTexts, WireClient } from "./client.ts"
import type { FakeContainer } from "./container.ts"
import { FakeEngine } from "./engine.ts"

describe("follow", () => {
  test("hands over what is stored, then what comes, and ends when the container stops", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer().append("stdout", "stored\n")
    using client = await WireClient.open(engine.socketPath, logsOf(container, "&follow=1"))
    const text = () =>
      parseFrames(client.body)
        .map((frame) => frame.text)
        .join("")
    await client.until(() => text() === "stored\n", "the backlog")
    container.append("stderr", "live\n")
    await client.until(() => text() === "stored\nlive\n", "the live record")
    container.append("stdout", "unfinished")
    container.restart()
    container.append("stdout", "of the second run\n")
    await client.until(() => client.response.state === "complete", "the end")
    expect(text()).toBe("stored\nlive\nunfinished")
  })

  test("may miss what was logged as its container ended", async () => {
    await using engine = await FakeEngine.start()
    engine.faults.missedAtEnd = 1
    const container = engine.addContainer().append("stdout", "stored\n")
    using client = await WireClient.open(engine.socketPath, logsOf(container, "&follow=1"))
    await client.until(() => client.response.chunks.length === 1, "the backlog")
    container.append("stdout", "ended\nunended")
    container.exit()
    await client.until(() => client.response.state === "complete", "the end")
    expect(parseFrames(client.body).map(({ text }) => text)).toEqual(["stored\n", "ended\n"])
    expect(await readTexts(engine.socketPath, container)).toEqual([
      "stored\n",
      "ended\n",
      "unended",
    ])
  })

  test("with tail=0 begins with what comes", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer().append("stdout", "stored\n")
    using client = await WireClient.open(engine.socketPath, logsOf(container, "&follow=1&tail=0"))
    await client.until(() => client.response.status === 200, "the headers")
    container.append("stdout", "live\n")
    container.exit()
    await client.until(() => client.response.state === "complete", "the end")
    expect(parseFrames(client.body).map(({ text }) => text)).toEqual(["live\n"])
  })

  test("is a plain read where nothing runs", async () => {
    await using engine = await FakeEngine.start()
    const exited = engine.addContainer().append("stdout", "a\n")
    exited.exit(3)
    const waiting = engine.addContainer().append("stdout", "a\n")
    waiting.crash()
    const created = engine.addContainer({ started: false })
    expect(await readTexts(engine.socketPath, exited, "&follow=1")).toEqual(["a\n"])
    expect(await readTexts(engine.socketPath, waiting, "&follow=1")).toEqual(["a\n"])
    expect(await readTexts(engine.socketPath, created, "&follow=1")).toEqual([])
  })

  test("waits for a slow reader, who loses without a word what is rotated away meanwhile", async () => {
    await using engine = await FakeEngine.start()
    const container = engine.addContainer()
    using client = await WireClient.open(engine.socketPath, logsOf(container, "&follow=1"))
    await client.until(() => client.response.status === 200, "the headers")
    client.pause()
    const line = `${"x".repeat(9_999)}\n`
    for (let count = 0; count < 1_000; count += 1) container.append("stdout", line)
    await client.until(() => engine.blockedConnections() === 1, "the socket to be full")
    container.rotate()
    container.append("stdout", "last\n")
    container.exit()
    client.resume()
    await client.until(() => client.response.state === "complete", "the end")
    const frames = parseFrames(client.body)
    expect(frames.at(-1)?.text).toBe("last\n")
    expect(frames.length).toBeLessThan(1_000)
  })

  test("serves a hundred containers at once", async () => {
    await using engine = await FakeEngine.start()
    const containers = Array.from({ length: 100 }, () => engine.addContainer())
    const clients = await Promise.all(
      containers.map((container) =>
        WireClient.open(engine.socketPath, logsOf(container, "&follow=1")),
      ),
    )
    await clients[0]?.until(() => engine.openRequests().length === 100, "all requests")
    for (const container of containers) container.append("stdout", `${container.id}\n`)
    for (const [index, client] of clients.entries()) {
      const { id } = containers[index] as FakeContainer
      await client.until(() => client.response.chunks.length === 1, "a line")
      expect(parseFrames(client.body)).toEqual([{ type: 1, stamp: "", text: `${id}\n` }])
      client[Symbol.dispose]()
    }
    const [probe] = clients
    await probe?.until(() => engine.openConnections() === 0, "all connections to close")
  })
})
