import { describe, expect, test } from "bun:test"
import { lstat, mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { KeySet } from "../../src/http/keys.ts"
import { listen } from "../../src/http/listen.ts"
import { createFake, entryOf, until } from "./fakes.ts"
import { AUTHORIZED, KEY, startServer, write } from "./server.ts"

const STREAM = "/api/apps/shop/logs/stream"

describe("the listeners", () => {
  test("let in: by key, by socket, and by the loopback port", async () => {
    await using server = await startServer()
    const { api, loopback } = server.listening
    expect((await fetch(new URL("/api/apps", api))).status).toBe(401)
    expect((await fetch(new URL("/api/apps", api), { headers: AUTHORIZED })).status).toBe(200)
    expect((await fetch("http://any/api/apps", { unix: server.socket })).status).toBe(200)
    expect((await fetch(new URL("/api/apps", loopback))).status).toBe(200)
    const headers = { Origin: "https://evil.test" }
    expect((await fetch(new URL("/api/apps", loopback), { headers })).status).toBe(403)
  })

  test("bound the streams of each key, and not of those who need none", async () => {
    const other = "another-key-of-the-house"
    const keys = new KeySet([entryOf(KEY), entryOf(other)])
    await using server = await startServer({ keys }, createFake({ streamsPerKey: 1 }))
    const stream = new URL(STREAM, server.listening.api)
    const leaving = new AbortController()
    const { signal } = leaving
    const open = (key: string) =>
      fetch(stream, { headers: { Authorization: `Bearer ${key}` }, signal })
    expect((await open(KEY)).status).toBe(200)
    const refused = await open(KEY)
    expect(refused.status).toBe(429)
    expect(refused.headers.get("Connection")).toBe("close")
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0)
    expect((await open(other)).status).toBe(200)
    for (let client = 0; client < 2; client++) {
      const local = await fetch(`http://any${STREAM}`, { unix: server.socket, signal })
      expect(local.status).toBe(200)
    }
    leaving.abort()
  })

  test("refuse what names no host, or another one", async () => {
    await using server = await startServer()
    const { api, loopback } = server.listening
    const cases: [URL | undefined, request: string, status: number][] = [
      [api, "GET /healthz HTTP/1.0\r\n\r\n", 400],
      [api, "GET /healthz HTTP/1.1\r\nHost: \r\n\r\n", 400],
      [api, "GET /healthz HTTP/1.1\r\nHost: a/b?c\r\n\r\n", 400],
      [api, `CONNECT a:80 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`, 400],
      [loopback, "GET /api/apps HTTP/1.1\r\nHost: evil.test\r\n\r\n", 421],
      [loopback, `GET http://evil.test/api/apps HTTP/1.1\r\nHost: evil.test\r\n\r\n`, 421],
      [
        loopback,
        `GET /api/apps HTTP/1.1\r\nHost: ${loopback?.host}\r\nHost: evil.test\r\n\r\n`,
        421,
      ],
      [loopback, `GET /api/apps HTTP/1.1\r\nHost: ${loopback?.host}\r\n\r\n`, 200],
    ]
    for (const [url, request, status] of cases) {
      const client = write(url, request)
      await until(() => client.received().includes("\r\n\r\n"))
      expect(client.received()).toStartWith(`HTTP/1.1 ${status}`)
      client.socket.destroy()
    }
    expect(server.fake.calls).toEqual(["apps"])
  })

  test("refuse a doubled Authorization header and a body, as they come over the wire", async () => {
    await using server = await startServer()
    const { api } = server.listening
    const head = `GET /api/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n`
    const cases: [request: string, status: number][] = [
      [`${head}Authorization: Bearer ${KEY}\r\n\r\n`, 401],
      [`${head}Content-Length: 5\r\n\r\nhello`, 400],
      [`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`, 400],
      [`${head}\r\n`, 200],
    ]
    for (const [request, status] of cases) {
      const client = write(api, request)
      await until(() => client.received().includes("\r\n\r\n"))
      expect(client.received()).toStartWith(`HTTP/1.1 ${status}`)
      client.socket.destroy()
    }
  })

  test("open all or none, and name the one that cannot be opened", async () => {
    await using server = await startServer()
    const port = Number(server.listening.api.port)
    const socket = join(server.folder, "other.sock")
    const taken = { ...server.options, socket, loopback: { hostname: "127.0.0.1", port } }
    await expect(listen(taken)).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: `)
    await expect(lstat(socket)).rejects.toThrow("ENOENT")
  })

  test.each(["0.0.0.0", "::", "192.168.0.1"])("do not open %s without a key", async (hostname) => {
    await using server = await startServer()
    const options = { ...server.options, loopback: { hostname, port: 0 } }
    await expect(listen({ ...options, socket: join(server.folder, "x") })).rejects.toThrow(
      `cannot listen on ${hostname}: it asks for no key`,
    )
  })
})

describe("the Unix socket", () => {
  test("is for owner and group alone, in a folder that is made for it, and goes when it ends", async () => {
    const server = await startServer()
    expect(((await lstat(server.socket)).mode & 0o777).toString(8)).toBe("660")
    await server.listening.stop(0)
    await expect(lstat(server.socket)).rejects.toThrow("ENOENT")
    await server[Symbol.asyncDispose]()
  })

  test("takes the place of one that a process left behind when it was killed", async () => {
    await using server = await startServer()
    const path = join(server.folder, "stale.sock")
    const child = Bun.spawn(
      [
        process.execPath,
        "-e",
        "Bun.listen({unix: process.argv[1], socket: {data() {}}}); console.log()",
        path,
      ],
      { stdout: "pipe" },
    )
    await child.stdout.getReader().read()
    child.kill("SIGKILL")
    await child.exited
    expect((await lstat(path)).isSocket()).toBe(true)
    const second = await listen({ ...server.options, socket: path, loopback: server.options.api })
    expect((await fetch("http://any/healthz", { unix: path })).status).toBe(200)
    await second.stop(0)
  })

  test("does not take the place of one that answers, nor of a file", async () => {
    await using server = await startServer()
    const { options, socket } = server
    await expect(listen(options)).rejects.toThrow(`cannot listen on ${socket}: another process`)
    expect((await fetch("http://any/healthz", { unix: socket })).status).toBe(200)

    const foreign = join(server.folder, "foreign.sock")
    const other = createServer().listen(foreign)
    await until(() => other.listening)
    await expect(listen({ ...options, socket: foreign })).rejects.toThrow("another process")
    other.close()

    const file = join(server.folder, "precious", "file")
    await mkdir(dirname(file))
    await writeFile(file, "precious")
    await expect(listen({ ...options, socket: file })).rejects.toThrow("it is no socket")
    expect(await Bun.file(file).text()).toBe("precious")
  })
})

describe("the end of the service", () => {
  test("ends streams with a word, and waits for them", async () => {
    await using server = await startServer()
    const response = await fetch(new URL(STREAM, server.listening.api), { headers: AUTHORIZED })
    await until(() => server.fake.streams.length === 1)
    server.fake.shutdown.abort()
    const stopped = server.listening.stop(60_000)
    expect(await response.text()).toContain(
      'event: end\ndata: {"reason":"shutdown","retryable":true}',
    )
    await stopped
    await expect(fetch(new URL("/healthz", server.listening.api))).rejects.toThrow()
  })

  test("does not wait for ever", async () => {
    await using server = await startServer()
    const response = await fetch("http://any" + STREAM, { unix: server.socket })
    await until(() => server.fake.streams.length === 1)
    await server.listening.stop(50)
    await expect(response.text()).rejects.toThrow()
    await until(() => server.fake.streams.every((stream) => stream.signal.aborted))
  })

  test("is not held up by a connection on which nobody asks", async () => {
    await using server = await startServer()
    const client = write(server.listening.api, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    await until(() => client.received().includes('"ok"'))
    await server.listening.stop(60_000)
    await until(client.closed)
  })
})

test("an idle connection is closed, a quiet stream is not", async () => {
  await using server = await startServer({ idleSeconds: 1 })
  const { api, loopback } = server.listening
  const overSocket = await fetch("http://any" + STREAM, { unix: server.socket })
  const overTcp = await fetch(new URL(STREAM, api), { headers: AUTHORIZED })
  await until(() => server.fake.streams.length === 2)
  const idle = write(loopback, `GET /healthz HTTP/1.1\r\nHost: ${loopback?.host}\r\n\r\n`)
  await until(() => idle.received().includes('"ok"'))
  // The server looks for idle connections every few seconds.
  await until(idle.closed, 15_000)
  expect(server.fake.streams.map((stream) => stream.signal.aborted)).toEqual([false, false])
  await overSocket.body?.cancel()
  await overTcp.body?.cancel()
}, 20_000)

test("two thousand connections that trickle what they want are closed in time, and hold nobody up", async () => {
  await using server = await startServer({ headerSeconds: 10 })
  const { api } = server.listening
  const slow = Array.from({ length: 2_000 }, () => write(api, "GET /healthz HTTP/1.1\r\nX: "))
  const open = () => slow.filter((client) => !client.closed()).length
  const begun = performance.now()
  // However often something comes, it is the whole of it that is waited for.
  const trickling = setInterval(() => {
    for (const { socket } of slow) if (socket.writable) socket.write("x")
  }, 9_000)
  try {
    while (open() > 0) {
      const asked = performance.now()
      expect((await fetch(new URL("/healthz", api))).status).toBe(200)
      expect(performance.now() - asked).toBeLessThan(1_000)
      const next = asked + 500
      await until(() => open() === 0 || performance.now() > next)
    }
    const seconds = (performance.now() - begun) / 1_000
    expect(seconds).toBeGreaterThan(9)
    expect(seconds).toBeLessThan(15)
  } finally {
    clearInterval(trickling)
  }
}, 30_000)

test("an answer to HEAD has the headers of GET, and its length where that is known", async () => {
  await using server = await startServer()
  for (const path of ["/healthz", "/api/apps", "/openapi.json"]) {
    const url = new URL(path, server.listening.api)
    const get = await fetch(url, { headers: AUTHORIZED })
    const head = await fetch(url, { headers: AUTHORIZED, method: "HEAD" })
    expect(head.status).toBe(200)
    for (const name of ["Content-Length", "Content-Type"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
  }
})
