import { describe, expect, test } from "bun:test"
import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { examineSocket } from "../../../src/commands/doctor/places.ts"
import { startServer } from "../../http/server.ts"
import { Host } from "./consult.ts"

describe("an address", () => {
  test("is free, and is so afterwards", async () => {
    using host = new Host()
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() })
    const listen = `127.0.0.1:${server.port}`
    await server.stop(true)
    for (let round = 0; round < 2; round++) {
      expect(await host.about("--listen", ["--listen", listen])).toEqual([
        `ok    --listen ${listen}: it is free`,
      ])
    }
  })

  test("is in use by a program that speaks HTTP, or one that says nothing", async () => {
    using host = new Host()
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(null) })
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
    for (const port of [server.port, silent.port]) {
      const words = ["--local-listen", `127.0.0.1:${port}`]
      expect(await host.about("--local-listen", words)).toEqual([
        `fail  --local-listen 127.0.0.1:${port}: another program listens there: end it (ss -ltnp 'sport = :${port}' names it), or choose another port`,
      ])
    }
    silent.stop(true)
    await server.stop(true)
  })

  test("is in use by applogs, with a key and without, as is its socket", async () => {
    using host = new Host()
    await using server = await startServer()
    const { api, loopback } = server.listening
    const [listen, local] = [api.host, loopback?.host ?? ""]
    const words = ["--listen", `0.0.0.0:${api.port}`, "--local-listen", local]
    const { lines } = await host.consult([...words, "--local-socket", server.socket])
    expect(lines.slice(2, 5)).toEqual([
      `ok    --listen 0.0.0.0:${api.port}: an applogs answers there already`,
      `ok    --local-listen ${local}: an applogs answers there already`,
      `ok    --local-socket ${server.socket}: an applogs answers there already`,
    ])
    expect(listen).toEndWith(api.port)
  })

  test("is none of this host, or no address at all", async () => {
    using host = new Host()
    expect(await host.about("--listen", ["--listen", "203.0.113.9:6020"])).toEqual([
      "fail  --listen 203.0.113.9:6020: this host has no such address: ip address lists those that it has",
    ])
    const [line] = await host.about("--listen", ["--listen", "nowhere.invalid:6020"])
    expect(line).toMatch(
      /^fail {2}--listen nowhere.invalid:6020: .*: name an address of this host$/,
    )
  })
})

describe("the local socket", () => {
  test("is not made, nor its directory", async () => {
    using host = new Host()
    const path = join(host.folder, "to/be/made/socket")
    expect(await host.about("--local-socket", ["--local-socket", path])).toEqual([
      "ok    --local-socket HERE/to/be/made/socket: it can be made",
    ])
    expect(() => statSync(dirname(path))).toThrow()
  })

  test("that nobody has named may be at the second place, or at none", async () => {
    using host = new Host()
    const file = host.write("file", "")
    const paths = [join(file, "first"), host.socket]
    const look = async (places: string[]) => {
      const findings = await Array.fromAsync(examineSocket({ paths: places, asked: false }))
      return findings.map(({ level, found }) =>
        `${level}: ${found}`.replaceAll(host.folder, "HERE"),
      )
    }
    expect(await look(paths)).toEqual(["ok: it can be made"])
    expect(await look(paths.slice(0, 1))).toEqual([
      "warn: there will be none (--local-socket HERE/file/first: HERE/file is no directory)",
    ])
  })

  test("is a file, or another program's, or below a file", async () => {
    using host = new Host()
    const about = (path: string) => host.about("--local-socket", ["--local-socket", path])
    const file = host.write("file", "")
    expect(await about(file)).toEqual([
      "fail  --local-socket HERE/file: there is a file with this name, and it is no socket: name another place",
    ])
    const other = Bun.listen({ unix: host.socket, socket: { data() {} } })
    expect(await about(host.socket)).toEqual([
      "fail  --local-socket HERE/socket: another program listens there: end it, or name another place",
    ])
    other.stop(true)
    expect(await about(join(file, "socket"))).toEqual([
      "fail  --local-socket HERE/file/socket: HERE/file is no directory: name another place",
    ])
  })
})
