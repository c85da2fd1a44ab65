import { describe, expect, test } from "bun:test"
import type { StreamEvent } from "../../src/stream/events.ts"
import { createFake, makeLog, until } from "./fakes.ts"
import { AUTHORIZED, KEY, startServer, write } from "./server.ts"

const STREAM = "/api/apps/shop/logs/stream"
const ASK = `GET ${STREAM} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n`

describe("a client of a quiet stream", () => {
  test.each([
    ["text/event-stream", ": connected\nretry: 2000\n\n"],
    ["application/x-ndjson", " "],
  ])(
    "has headers and first words at once, as %s, over TCP and over the socket",
    async (type, words) => {
      await using server = await startServer()
      const headers = { ...AUTHORIZED, Accept: type }
      const responses = [
        await fetch(new URL(STREAM, server.listening.api), { headers }),
        await fetch(`http://any${STREAM}`, { headers, unix: server.socket }),
      ]
      for (const response of responses) {
        expect(response.headers.get("Content-Type")).toBe(type)
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        const { value } = await reader.read()
        expect(new TextDecoder().decode(value)).toBe(words)
        await reader.cancel()
      }
      await until(() => server.fake.streams.every((stream) => stream.signal.aborted))
    },
  )
})

describe("clients that leave", () => {
  test("at any moment leave nothing open", async () => {
    const fake = createFake({ streams: 10, tail: 10 })
    await using server = await startServer({}, fake)
    let seed = 1
    for (let round = 0; round < 100; round++) {
      seed = (seed * 48_271) % 2_147_483_647
      const name = `round-${round}`
      const mine = () => fake.streams.find((stream) => stream.query.grep === name)
      const client = write(server.listening.api, ASK.replace(STREAM, `${STREAM}?grep=${name}`))
      client.socket.write("\r\n")
      if (seed % 4 > 0) await until(() => mine() !== undefined)
      if (seed % 4 > 1) mine()?.push(makeLog(name))
      if (seed % 4 > 2) await until(() => client.received().includes(name))
      if (seed % 3 === 0) client.socket.resetAndDestroy()
      else client.socket.destroy()
      // Ten places are there: were they not given back, this would come to an end.
      await until(() => fake.streams.filter((stream) => !stream.over()).length < 5)
    }
    await until(() => fake.streams.every((stream) => stream.signal.aborted && stream.over()))
    expect(fake.streams.length).toBeGreaterThan(50)
    const response = await fetch(new URL(STREAM, server.listening.api), { headers: AUTHORIZED })
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })
})

describe("a client that does not read", () => {
  test("is not read for, loses nothing, and holds nobody up", async () => {
    const fake = createFake()
    const batch: StreamEvent[] = Array.from({ length: 64 }, () => makeLog("x".repeat(1000)))
    let pulls = 0
    const total = 2000
    fake.source = async function* () {
      while (pulls < total) {
        pulls++
        yield batch
      }
    }
    await using server = await startServer({}, fake)
    const client = write(server.listening.api, `${ASK}Connection: close\r\n\r\n`)
    client.socket.pause()
    await until(() => pulls > 10)

    // Others are served until it has been still for a while: then what the sockets hold is full.
    let [still, before] = [0, 0]
    while (still < 50) {
      const response = await fetch(new URL("/healthz", server.listening.api))
      expect(response.status).toBe(200)
      still = pulls === before ? still + 1 : 0
      before = pulls
    }
    expect(pulls * 64_000).toBeLessThan(32_000_000)

    let lines = 0
    let rest = ""
    client.socket.on("data", (bytes) => {
      const text = rest + bytes.toString("latin1")
      const parts = text.split("event: log\n")
      lines += parts.length - 1
      rest = (parts.at(-1) ?? "").slice(-20)
    })
    client.socket.resume()
    await until(client.closed, 20_000)
    expect(pulls).toBe(total)
    expect(lines).toBe(total * batch.length)
  }, 30_000)
})
