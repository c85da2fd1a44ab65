import { describe, expect, test } from "bun:test"
import { examineOpenFiles } from "../../../src/commands/doctor/host.ts"
import { join } from "node:path"
import { Host } from "./consult.ts"

const KEY = "k".repeat(32)

describe("applogs doctor", () => {
  test("finds nothing wrong on a host that is well", async () => {
    using host = new Host()
    host.log("web", "2026-01-01T00:00:00Z stdout F hello")
    host.log("needs-postgres", "2026-01-01T00:00:00Z stdout F ready")
    expect(await host.consult([], { APPLOGS_API_KEY: KEY })).toEqual({
      code: 0,
      lines: [
        "ok    files: it answers (plain files)",
        "ok    containers: 2 in 1 app",
        "ok    logs: 2 containers exact, read from their files (lines as engines write them (json-file, CRI))",
        "ok    log files: those of 2 of 2 containers are read",
        "ok    clock: nothing is ahead of it",
        "ok    keys: 1 key from APPLOGS_API_KEY",
        "ok    --listen 127.0.0.1:0: any port that is free",
        "ok    --local-socket HERE/socket: it can be made",
        "ok    open files: there is room for 1000 streams",
      ],
      err: "",
    })
  })

  test("says what is wrong in a line each, to its end, and fails", async () => {
    using host = new Host()
    const words = ["--api-key-file", "/nowhere/keys", "--local-socket", "none"]
    expect(await host.consult(words)).toEqual({
      code: 1,
      lines: [
        "fail  files: the directory of --files-root cannot be read: ENOENT: no such file or directory, scandir 'HERE/logs'",
        'fail  keys: --api-key-file: there is no file "/nowhere/keys"',
        "ok    --listen 127.0.0.1:0: any port that is free",
        "ok    local socket: it is switched off",
        "ok    open files: there is room for 1000 streams",
      ],
      err: "",
    })
  })

  test("knows a plugin of somebody else", async () => {
    using host = new Host()
    const plugin = join(import.meta.dir, "../plugin-fixture.ts")
    const { code, lines } = await host.consult(["--runtime", plugin])
    expect(code).toBe(0)
    expect(lines.slice(0, 5)).toEqual([
      "ok    fixture: it answers (1)",
      "ok    containers: 2 in 2 apps",
      "ok    logs: 2 containers exact, read by the API or CLI",
      "ok    log files: none of 2 containers has one that can be read",
      "warn  logs: noisy: no answer within 3 s",
    ])
  })

  test.each([
    [["--x"], '"--x": no such option: see applogs doctor --help'],
    [["shop"], '"shop": no such option: see applogs doctor --help'],
    [
      ["--listen", "x"],
      '--listen: <host>:<port> is wanted, as 0.0.0.0:6020 or [::1]:6020, not "x"',
    ],
    [["--runtime", "/nowhere.ts"], "--runtime: there is no file /nowhere.ts"],
    [["--url", "localhost"], '--url: http://host:6020 is wanted, not "localhost"'],
    [
      ["--url", "http://host", "--runtime", "docker"],
      "--runtime: it is of this host, and --url looks at another place",
    ],
  ])("%j is refused with exit code 2", async (words, message) => {
    using host = new Host()
    expect(await host.consult(words)).toEqual({ code: 2, lines: [], err: `applogs: ${message}\n` })
  })

  test("looks at this host if a flag says so, whatever address the environment has", async () => {
    using host = new Host()
    const env = { APPLOGS_URL: "http://127.0.0.1:1" }
    expect((await host.consult([], env)).lines[0]).toStartWith("fail  service: nobody answers")
    const { lines } = await host.consult(["--max-streams", "5"], env)
    expect(lines.at(-1)).toBe("ok    open files: there is room for 5 streams")
  })

  test.each([
    [{ isTerminal: true }, "\x1b[33mwarn\x1b[0m  keys"],
    [{ isTerminal: false }, "warn  keys"],
  ])("%j has colours on a terminal alone", async (more, expected) => {
    using host = new Host()
    expect((await host.consult([], {}, more)).lines[1]).toStartWith(expected)
    const { lines } = await host.consult([], { NO_COLOR: "1" }, more)
    expect(lines[1]).toStartWith("warn  keys")
  })

  test("ends when it is asked to", async () => {
    using host = new Host()
    const { code, lines } = await host.consult([], {}, { signal: AbortSignal.abort("SIGTERM") })
    expect([code, lines]).toEqual([143, []])
  })
})

test("the limit of open files is held against the streams", () => {
  expect(examineOpenFiles({ maxStreams: 1000 }, 1000).level).toBe("ok")
  expect(examineOpenFiles({ maxStreams: 1000 }, 960)).toEqual({
    level: "warn",
    what: "open files",
    found: "their limit leaves room for 960 streams, not for 1000",
    remedy: "raise it (ulimit -n; in a unit LimitNOFILE=), or lower --max-streams",
  })
})
