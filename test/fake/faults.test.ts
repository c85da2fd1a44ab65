import { describe, expect, test } from "bun:test"
import { logsOf, parseFrames, WireClient } from "./client.ts"
import { FakeEngine } from "./engine.ts"

const TEXT = "one\ntwo\nthree\n"

async function withText(tty = false) {
  const engine = await FakeEngine.start()
  const container = engine.addContainer({ tty }).append("stdout", TEXT)
  const whole = (await WireClient.get(engine.socketPath, logsOf(container))).body
  const read = () => WireClient.get(engine.socketPath, logsOf(container))
  return {
    engine,
    container,
    whole,
    read,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

describe("cuts", () => {
  test("a body can be cut at every byte", async () => {
    await using subject = await withText()
    for (const bytes of [1, 7, 1_000]) {
      subject.engine.faults.cutEvery(bytes)
      const { body, response } = await subject.read()
      expect(body).toEqual(subject.whole)
      expect(response.chunks).toHaveLength(Math.ceil(body.length / bytes))
    }
  })

  test("a body can come as one chunk", async () => {
    await using subject = await withText()
    subject.engine.faults.chunking = "whole"
    expect((await subject.read()).response.chunks).toEqual([subject.whole])
  })

  test("what is on the wire can be handed over in segments, HTTP's own bytes too", async () => {
    await using subject = await withText()
    subject.engine.faults.segmentBytes = 1
    const { body, response } = await subject.read()
    expect(body).toEqual(subject.whole)
    expect(response.state).toBe("complete")
  })
})

describe("mishaps", () => {
  test("a connection breaks after any number of bytes, and the next one does not", async () => {
    await using subject = await withText()
    for (let bytes = 0; bytes < subject.whole.length; bytes += 1) {
      subject.engine.faults.resetAfterBytes(bytes)
      const { body, response } = await subject.read()
      expect(response.state).toBe("broken")
      expect(body).toEqual(subject.whole.subarray(0, bytes))
    }
    expect((await subject.read()).response.state).toBe("complete")
  })

  test("a body ends properly, though there is more", async () => {
    await using subject = await withText()
    subject.engine.faults.endAfterBytes(13, 2)
    for (const expected of [13, 13, subject.whole.length]) {
      const { body, response } = await subject.read()
      expect(response.state).toBe("complete")
      expect(body).toHaveLength(expected)
    }
  })

  test.each([0, 5, 20])("a body is silent after %i bytes until it is released", async (bytes) => {
    await using subject = await withText()
    const release = subject.engine.faults.stall(bytes)
    using client = await WireClient.open(subject.engine.socketPath, logsOf(subject.container))
    await client.until(() => client.body.length === bytes, "the bytes")
    await client.until(() => client.response.status === 200, "the headers")
    expect(client.response.state).toBe("open")
    release()
    await client.until(() => client.response.state === "complete", "the end")
    expect(client.body).toEqual(subject.whole)
  })

  test("a stalled response whose reader leaves is given up", async () => {
    await using subject = await withText()
    subject.engine.faults.stall(5)
    const client = await WireClient.open(subject.engine.socketPath, logsOf(subject.container))
    await client.until(() => client.body.length === 5, "the bytes")
    client[Symbol.dispose]()
    await client.until(() => subject.engine.openConnections() === 0, "the connection to close")
  })
})

describe("errors of the daemon", () => {
  test("stand anywhere in a response, and end it", async () => {
    await using subject = await withText()
    for (const atRecord of [0, 1, 3]) {
      subject.engine.faults.errorFrame("disk on fire", { atRecord })
      const frames = parseFrames((await subject.read()).body)
      expect(frames.map(({ type }) => type)).toEqual([...Array<number>(atRecord).fill(1), 3])
      expect(frames.at(-1)?.text).toBe("Error grabbing logs: disk on fire\n")
    }
  })

  test("need not end it", async () => {
    await using subject = await withText()
    subject.engine.faults.errorFrame("hiccup", { atRecord: 1, ends: false })
    const types = parseFrames((await subject.read()).body).map(({ type }) => type)
    expect(types).toEqual([1, 3, 1, 1])
  })

  test("are plain text on a TTY", async () => {
    await using subject = await withText(true)
    subject.engine.faults.errorFrame("disk on fire")
    expect((await subject.read()).body.toString()).toBe("Error grabbing logs: disk on fire\n")
  })

  test("strike a response that is being followed", async () => {
    await using subject = await withText()
    const { engine, container } = subject
    using client = await WireClient.open(engine.socketPath, logsOf(container, "&follow=1"))
    await client.until(() => client.body.length === subject.whole.length, "the backlog")
    container.errorFrame("hiccup", { ends: false })
    container.append("stdout", "four\n")
    container.errorFrame("over")
    await client.until(() => client.response.state === "complete", "the end")
    expect(
      parseFrames(client.body)
        .slice(3)
        .map(({ text }) => text),
    ).toEqual(["four\n", "Error grabbing logs: hiccup\n", "Error grabbing logs: over\n"])
  })
})

describe("silence and refusal", () => {
  test("headers wait for the first byte, by the engine's version or on demand", async () => {
    for (const [api, demanded, waits] of [
      ["1.41", undefined, false],
      ["1.44", undefined, true],
      ["1.47", undefined, false],
      ["1.47", true, true],
      ["1.44", false, false],
    ] as const) {
      await using engine = await FakeEngine.start({ api })
      engine.faults.delayHeaders = demanded
      const container = engine.addContainer()
      using client = await WireClient.open(engine.socketPath, logsOf(container, "&follow=1"))
      if (waits) await client.until(() => engine.openRequests().length === 1, "the request")
      else await client.until(() => client.response.status === 200, "the headers")
      // Another exchange, there and back: what was to come before it would be here.
      await WireClient.get(engine.socketPath, "/_ping")
      expect(client.response.status).toBe(waits ? 0 : 200)
      container.append("stdout", "first\n")
      await client.until(() => client.body.length > 0, "the first byte")
      expect(client.response.status).toBe(200)
    }
  })

  test("requests get no answer until released, those that do not match do", async () => {
    await using subject = await withText()
    const release = subject.engine.faults.hang(/logs/)
    using client = await WireClient.open(subject.engine.socketPath, logsOf(subject.container))
    await client.until(() => subject.engine.openRequests().length === 1, "the request")
    expect((await WireClient.get(subject.engine.socketPath, "/_ping")).response.status).toBe(200)
    expect(client.response.status).toBe(0)
    release()
    await client.until(() => client.response.state === "complete", "the answer")
  })

  test("requests are answered with an error as often as wanted", async () => {
    await using subject = await withText()
    subject.engine.faults.refuse(500, "not today", { match: /logs/, times: 2 })
    for (const status of [500, 500, 200]) {
      expect((await subject.read()).response.status).toBe(status)
    }
  })

  test("connections are closed as soon as they are accepted", async () => {
    await using subject = await withText()
    subject.engine.faults.closeAtAccept = true
    const { response } = await subject.read()
    expect(response).toMatchObject({ status: 0, state: "broken" })
    subject.engine.faults.clear()
    expect((await subject.read()).response.status).toBe(200)
  })
})
