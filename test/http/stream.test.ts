import { describe, expect, test } from "bun:test"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { parseCursor } from "../../src/stream/cursor.ts"
import { ask, AT, createFake, CURSOR, type Fake, makeLog, readProblem, until } from "./fakes.ts"

const STREAM = "/api/apps/shop/logs/stream"

/** Reads events as they come. */
function createReader(response: Response) {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  const decoder = new TextDecoder()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  return {
    events,
    cancel: () => reader.cancel(),
    /** The next chunk as text; `undefined` at the end. */
    async chunk(): Promise<string | undefined> {
      const { value } = await reader.read()
      if (value === undefined) return undefined
      const text = decoder.decode(value, { stream: true })
      parser.feed(text)
      return text
    },
    async rest(): Promise<EventSourceMessage[]> {
      while ((await this.chunk()) !== undefined);
      return events
    },
  }
}

function first(fake: Fake) {
  const [stream] = fake.streams
  if (!stream) throw new Error("no stream was opened")
  return stream
}

describe("a stream", () => {
  test("says at once that it is there, and then hands on what comes", async () => {
    const fake = createFake()
    const response = await ask(fake, STREAM)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    })
    const reader = createReader(response)
    expect(await reader.chunk()).toBe(": connected\nretry: 2000\n\n")
    const next = reader.chunk()
    await until(() => fake.streams.length === 1)
    first(fake).push(makeLog("one", "v1.1"), makeLog("two", "v1.2"))
    await next
    expect(reader.events.map(({ id, event }) => [id, event])).toEqual([
      ["v1.1", "log"],
      ["v1.2", "log"],
    ])
    await reader.cancel()
  })

  test("is NDJSON for who asks for it: a blank first, and then a JSON object a line", async () => {
    const fake = createFake()
    const response = await ask(fake, STREAM, { Accept: "application/x-ndjson" })
    expect(response.headers.get("Content-Type")).toBe("application/x-ndjson")
    const reader = createReader(response)
    expect(await reader.chunk()).toBe(" ")
    const next = reader.chunk()
    await until(() => fake.streams.length === 1)
    first(fake).push(makeLog("one"), { type: "ping", at: AT, lagMs: 0, cursor: CURSOR })
    expect(
      (await next)
        ?.trimEnd()
        .split("\n")
        .map((row) => JSON.parse(row)),
    ).toEqual([
      { service: "web", stream: "stdout", timestamp: AT, message: "one", isNeeds: false },
      { event: "ping", cursor: CURSOR, at: AT, lagMs: 0 },
    ])
    expect(fake.metrics).toMatchObject({ lines: 1, streams: 1 })
    await reader.cancel()
    expect(fake.metrics.streams).toBe(0)
  })

  test("answers HEAD with its headers, and opens nothing", async () => {
    const fake = createFake()
    const response = await ask(fake, STREAM, {}, "HEAD")
    expect(response.status).toBe(200)
    expect(response.headers.get("Content-Type")).toBe("text/event-stream")
    expect(fake.calls).toEqual(["app shop"])
  })

  test("asks for what the address says, and tells what it does not understand", async () => {
    const fake = createFake()
    const query = "?service=web&stream=stderr&grep=x&tail=5&until=1&ansi=strip"
    const response = await ask(fake, STREAM + query, { "Last-Event-ID": CURSOR })
    expect(response.headers.get("Applogs-Ignored-Params")).toBe("until, ansi")
    const reader = createReader(response)
    await reader.chunk()
    void reader.chunk()
    await until(() => fake.streams.length === 1)
    expect(first(fake).query).toEqual({
      includeNeeds: true,
      service: "web",
      stream: "stderr",
      grep: "x",
      cursor: parseCursor(CURSOR) ?? "malformed",
    })
    await reader.cancel()
  })

  test.each<[query: string, status: number, code: string, accept: string]>([
    ["?tail=-1", 400, "invalid_parameter", "*/*"],
    ["?since=2026-08-20T12:00:00", 400, "invalid_parameter", "*/*"],
    ["?cursor=nonsense", 400, "invalid_parameter", "*/*"],
    ["?service=nope", 404, "service_not_found", "*/*"],
    ["?format=text", 400, "invalid_parameter", "*/*"],
    ["", 406, "not_acceptable", "text/html"],
  ])("refuses %p with %p %s before its first byte", async (query, status, code, accept) => {
    const fake = createFake()
    const response = await ask(fake, STREAM + query, { Accept: accept })
    expect(response.status).toBe(status)
    expect((await readProblem(response)).code).toBe(code)
    expect(fake.calls).not.toContain("stream")
  })

  test("is not refused for a Last-Event-ID that is nonsense", async () => {
    const fake = createFake()
    const response = await ask(fake, STREAM, { "Last-Event-ID": "nonsense" })
    expect(response.status).toBe(200)
    const reader = createReader(response)
    await reader.chunk()
    void reader.chunk()
    await until(() => fake.streams.length === 1)
    expect(first(fake).query).toEqual({ includeNeeds: false, cursor: "malformed" })
    await reader.cancel()
  })
})

describe("the end of a stream", () => {
  async function open(fake: Fake) {
    const client = new AbortController()
    const request = new Request(`http://localhost${STREAM}`, { signal: client.signal })
    const reader = createReader(await fake.app.handle(request))
    await reader.chunk()
    const next = reader.chunk()
    await until(() => fake.streams.length === 1)
    return { client, reader, next, stream: first(fake) }
  }

  test("is told once", async () => {
    const fake = createFake()
    const { reader, stream } = await open(fake)
    stream.push({ type: "end", reason: "app_removed", retryable: false, cursor: CURSOR })
    stream.end()
    const events = await reader.rest()
    expect(events.map(({ event }) => event)).toEqual(["end"])
    expect(stream.signal.aborted).toBe(true)
  })

  test("by a failure is told as a problem, which names no secret but where to look", async () => {
    const fake = createFake()
    const { reader, next, stream } = await open(fake)
    stream.push(makeLog("last", "v1.last"))
    await next
    stream.fail(new Error("secret of the house"))
    const events = await reader.rest()
    expect(events.map(({ event }) => event)).toEqual(["log", "problem", "end"])
    const problem = JSON.parse(events[1]?.data ?? "") as { code: string; requestId: string }
    expect(problem.code).toBe("internal_error")
    expect(events[1]?.data).not.toContain("secret")
    expect(fake.logged).toMatchObject([{ event: "request failed", requestId: problem.requestId }])
    expect(stream.signal.aborted).toBe(true)
  })

  test("comes when the client cancels", async () => {
    const { reader, stream } = await open(createFake())
    await reader.cancel()
    expect(stream.signal.aborted).toBe(true)
    await until(stream.over)
  })

  test("comes when the request is aborted", async () => {
    const { client, reader, next, stream } = await open(createFake())
    client.abort()
    expect(stream.signal.aborted).toBe(true)
    await next.catch(() => {})
    await reader.chunk().catch(() => {})
    await until(stream.over)
  })
})

describe("the places for streams", () => {
  test("are limited, and given back however a stream ends", async () => {
    const fake = createFake({ streams: 2, tail: 10 })
    const one = createReader(await ask(fake, STREAM))
    const client = new AbortController()
    await fake.app.handle(new Request(`http://localhost${STREAM}`, { signal: client.signal }))
    const refused = await ask(fake, STREAM, { "Last-Event-ID": CURSOR })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0)
    expect((await readProblem(refused)).detail).toContain("2 places")

    await one.cancel()
    const three = createReader(await ask(fake, STREAM))
    expect((await ask(fake, STREAM)).status).toBe(429)

    client.abort()
    const four = await ask(fake, STREAM)
    expect(four.status).toBe(200)
    fake.shutdown.abort()
    await three.rest()
    expect((await ask(fake, STREAM)).status).toBe(200)
  })

  test("are not taken by what is refused, nor by HEAD", async () => {
    const fake = createFake({ streams: 1, tail: 10 })
    await ask(fake, `${STREAM}?tail=x`)
    await ask(fake, STREAM, {}, "HEAD")
    expect((await ask(fake, STREAM)).status).toBe(200)
  })
})

describe("while the runtime is down", () => {
  test("a first connect is told so", async () => {
    const fake = createFake()
    fake.runtime.up = false
    const response = await ask(fake, STREAM)
    expect(response.status).toBe(503)
    expect(response.headers.has("Retry-After")).toBe(true)
    expect(fake.calls).not.toContain("stream")
  })

  test.each(["/api/apps/shop/logs/stream", "/api/apps/other/logs/stream"])(
    "a client that comes back to %s is let in, and waits",
    async (path) => {
      const fake = createFake()
      fake.runtime.up = false
      const response = await ask(fake, path, { "Last-Event-ID": CURSOR })
      expect(response.status).toBe(200)
      const reader = createReader(response)
      await reader.chunk()
      void reader.chunk()
      await until(() => fake.streams.length === 1)
      expect(path).toContain(`/${first(fake).app.id}/`)
      await reader.cancel()
    },
  )
})
