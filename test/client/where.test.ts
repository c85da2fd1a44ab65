import { describe, expect, test } from "bun:test"
import { findWhere } from "../../src/client/where.ts"
import { WHERE } from "../../src/client/options.ts"
import { collect, type Environment } from "../../src/given.ts"
import { UsageError } from "../../src/usage.ts"

const KEY = "k".repeat(32)
const FILES: Readonly<Record<string, string>> = {
  "/keys": `# mine\n\n${KEY}  # new\n${"o".repeat(32)}\n`,
  "/empty": "# nothing\n",
  "/odd": "not sendable: \u{1F600}",
}

function find(argv: string, env: Environment = {}) {
  const readFile = (path: string) => FILES[path] ?? ""
  const words = argv === "" ? [] : argv.split(" ")
  const { given } = collect({ command: "apps", options: WHERE }, words, env, readFile)
  return findWhere(given, env, readFile)
}

describe("the service is looked for", () => {
  const usual = "/run/applogs/applogs.sock"

  test.each([
    ["", {}, [usual]],
    ["", { XDG_RUNTIME_DIR: "/run/user/7" }, [usual, "/run/user/7/applogs/applogs.sock"]],
    ["--local-socket /s", { XDG_RUNTIME_DIR: "/run/user/7" }, ["/s"]],
    ["--local-socket /s", { APPLOGS_URL: "http://host:6020" }, ["/s"]],
    ["", { APPLOGS_LOCAL_SOCKET: "/s", APPLOGS_API_KEY: KEY }, ["/s"]],
  ])("%s %j: at sockets, without a key", (argv, env, sockets) => {
    expect(find(argv, env)).toEqual({ base: "http://localhost/", sockets, headers: {} })
  })

  test.each([
    ["--url http://host:6020", {}, "http://host:6020/", undefined],
    ["--url https://host/logs// --api-key-file /keys", {}, "https://host/logs/", KEY],
    ["", { APPLOGS_URL: "http://host", APPLOGS_LOCAL_SOCKET: "/s" }, "http://host/", undefined],
    ["--url http://host", { APPLOGS_API_KEY: KEY }, "http://host/", KEY],
    ["--url http://host --api-key-file /keys", { APPLOGS_API_KEY: "x" }, "http://host/", KEY],
  ])("%s %j: at an address", (argv, env, base, key) => {
    const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
    expect(find(argv, env)).toEqual({ base, sockets: [], headers })
  })

  test.each([
    ["--url host:6020", '--url: http://host:6020 is wanted, not "host:6020"'],
    ["--url http://h --local-socket /s", "--url: either it or --local-socket is wanted"],
    ["--local-socket none", "--local-socket: without a socket, --url is wanted"],
    ["--url http://h?key=secret", "--url: a key does not belong into an address"],
    ["--url http://h --api-key-file /empty", "--api-key-file: a key of letters"],
    ["--url http://h --api-key-file /odd", "--api-key-file: a key of letters"],
  ])("%s is refused, without a word of a key", (argv, expected) => {
    const refused = () => find(argv)
    expect(refused).toThrow(UsageError)
    expect(refused).toThrow(expected)
    expect(refused).not.toThrow(/secret|sendable/)
  })
})
