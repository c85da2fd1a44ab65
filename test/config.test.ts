import { describe, expect, test } from "bun:test"
import { type Config, parseConfig } from "../src/config.ts"
import type { Environment } from "../src/given.ts"
import { UsageError } from "../src/usage.ts"

type Files = Readonly<Record<string, string | Error>>

function parse(argv: string, env: Environment = {}, files: Files = {}): Config {
  return parseConfig(argv === "" ? [] : argv.split(" "), env, (path) => {
    const file = files[path] ?? Object.assign(new Error("missing"), { code: "ENOENT" })
    if (file instanceof Error) throw file
    return file
  })
}

function mistake(argv: string, env: Environment = {}, files: Files = {}): string {
  try {
    parse(argv, env, files)
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    const { message } = error as UsageError
    expect(message).not.toContain("\n")
    return message
  }
  throw new Error("it was accepted")
}

describe("without any option", () => {
  test("everything has its default", () => {
    expect(parse("")).toEqual({
      runtime: "auto",
      engines: {
        dockerSockets: ["/var/run/docker.sock"],
        podmanSockets: ["/run/podman/podman.sock"],
        nerdctl: "nerdctl",
        containerdAddress: undefined,
        containerdNamespace: undefined,
        filesRoot: undefined,
      },
      logSource: "auto",
      listen: { hostname: "0.0.0.0", port: 6020 },
      localSocket: { paths: ["/run/applogs/applogs.sock"], asked: false },
      localListen: undefined,
      keys: [],
      tailMax: 10_000,
      maxStreams: 1_000,
      maxStreamsPerKey: 1_000,
      maxSnapshots: 32,
      maxLineBytes: 1_048_576,
      headerSeconds: 10,
      ringBytes: 8_388_608,
      logLevel: "info",
    })
  })

  test("the user's own sockets come after the system's", () => {
    const { engines, localSocket } = parse("", { XDG_RUNTIME_DIR: "/run/user/7" })
    expect(engines.dockerSockets).toEqual(["/var/run/docker.sock", "/run/user/7/docker.sock"])
    expect(engines.podmanSockets.at(-1)).toBe("/run/user/7/podman/podman.sock")
    expect(localSocket?.paths).toEqual([
      "/run/applogs/applogs.sock",
      "/run/user/7/applogs/applogs.sock",
    ])
    const relative = parse("", { XDG_RUNTIME_DIR: "relative" })
    expect(relative.engines.dockerSockets.length).toBe(1)
  })
})

describe("each option", () => {
  test("is a flag, in two spellings", () => {
    expect(parse("--tail-max 5").tailMax).toBe(5)
    expect(parse("--tail-max=5").tailMax).toBe(5)
    expect(parse("--runtime=./a=b.ts").runtime).toBe("./a=b.ts")
  })

  test("is a variable and a key of the file too; flags win, then variables", () => {
    const env = { APPLOGS_CONFIG: "/c.toml", APPLOGS_MAX_STREAMS: "2", APPLOGS_LOG_LEVEL: "warn" }
    const files = { "/c.toml": 'log-level = "error"\nmax-streams = 1\ntail-max = 1\nlisten = ":1"' }
    const config = parse("--log-level debug", env, files)
    expect(config.logLevel).toBe("debug")
    expect(config.maxStreams).toBe(2)
    expect(config.tailMax).toBe(1)
    expect(config.listen.port).toBe(1)
  })

  test("is not there when its variable is empty", () => {
    expect(parse("", { APPLOGS_TAIL_MAX: "", APPLOGS_API_KEY: "", DOCKER_HOST: "" })).toEqual(
      parse(""),
    )
  })

  test("of --config names the file, and wins over the variable", () => {
    const files = { "/a": "tail-max = 1", "/b": "tail-max = 2" }
    expect(parse("--config /a", { APPLOGS_CONFIG: "/b" }, files).tailMax).toBe(1)
  })
})

describe("a mistake names the option and what is allowed", () => {
  test.each([
    ["--bogus 1", '"--bogus": no such option: see applogs serve --help'],
    ["--bogus=1", '"--bogus": no such option: see applogs serve --help'],
    ["-v", '"-v": no such option: see applogs serve --help'],
    ["stray", '"stray": no such option: see applogs serve --help'],
    ["--tail-max", "--tail-max: a value is wanted: --tail-max <number>"],
    ["--tail-max=", "--tail-max: a value is wanted: --tail-max <number>"],
    ["--tail-max --listen :1", "--tail-max: a value is wanted: --tail-max <number>"],
    ["--tail-max 5 --tail-max=6", "--tail-max: it may be given only once"],
    ["--log-level loud", '--log-level: one of error, warn, info, debug is wanted, not "loud"'],
    [
      "--listen 6020",
      '--listen: <host>:<port> is wanted, as 0.0.0.0:6020 or [::1]:6020, not "6020"',
    ],
    [
      "--local-listen 0.0.0.0:6021",
      '--local-listen: none, 127.0.0.1:<port>, [::1]:<port> or localhost:<port> is wanted, not "0.0.0.0:6021"',
    ],
  ])("%s", (argv, expected) => {
    expect(mistake(argv)).toBe(expected)
  })

  test.each(["0", "-5", "1000001", "1.5", "1e3", "0x10", "abc", "99999999999999999999", "+1"])(
    "--tail-max %s",
    (value) => {
      const wanted = `--tail-max: an integer from 1 to 1000000 is wanted, not "${value}"`
      expect(mistake(`--tail-max ${value}`)).toBe(wanted)
    },
  )

  test("by its variable, or by its file and key, where it came from there", () => {
    expect(mistake("", { APPLOGS_MAX_STREAMS: "many" })).toStartWith(
      "APPLOGS_MAX_STREAMS: an integer",
    )
    const file = (text: string) => mistake("--config /c.toml", {}, { "/c.toml": text })
    expect(file("tail-max = 1.5")).toStartWith('/c.toml: "tail-max": an integer')
    expect(file("tailmax = 1")).toBe('/c.toml: "tailmax": no such option')
    expect(file('config = "/other"')).toBe('/c.toml: "config": no such option')
    expect(file("[tail-max]\nx = 1")).toBe('/c.toml: "tail-max": a text or a number is wanted')
    expect(file("listen = true")).toBe('/c.toml: "listen": a text or a number is wanted')
    expect(file("= nonsense")).toStartWith("/c.toml: TOML is wanted: ")
  })

  test("in one line, whatever the value holds", () => {
    expect(mistake("--log-level=\u001b[31m\n" + "x".repeat(1_000)).length).toBeLessThan(200)
    expect(mistake("--log-level=\u001b\n")).toContain("\\u001b\\n")
  })

  test("of a file that is missing or may not be read", () => {
    expect(mistake("--config /c.toml")).toBe('--config: there is no file "/c.toml"')
    expect(mistake("", { APPLOGS_API_KEY_FILE: "/k" })).toBe(
      'APPLOGS_API_KEY_FILE: there is no file "/k"',
    )
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" })
    expect(mistake("--api-key-file /k", {}, { "/k": denied })).toBe(
      "--api-key-file: a readable file is wanted: EACCES: permission denied",
    )
  })
})

describe.each([
  { name: "docker", variable: "DOCKER_HOST" },
  { name: "podman", variable: "CONTAINER_HOST" },
] as const)("the socket of $name", ({ name, variable }) => {
  const sockets = (argv: string, env = {}) => parse(argv, env).engines[`${name}Sockets`]

  test("comes from the flag, else from the environment", () => {
    const env = { [variable]: "unix:///host.sock" }
    expect(sockets(`--${name}-socket /flag.sock`, env)).toEqual(["/flag.sock"])
    expect(sockets(`--${name}-socket unix:///flag.sock`)).toEqual(["/flag.sock"])
    expect(sockets("", env)).toEqual(["/host.sock"])
  })

  test.each([
    "tcp://10.0.0.1:2375",
    "ssh://me@host",
    "npipe:////./pipe/docker",
    "/var/run/docker.sock",
  ])("is not to be had from an environment that says %s", (host) => {
    expect(mistake("", { [variable]: host })).toBe(
      `${variable}: unix://<path> is wanted (only an engine on this host can be read), not "${host}"; --${name}-socket wins over it`,
    )
    expect(sockets(`--${name}-socket /d`, { [variable]: host })).toEqual(["/d"])
    expect(parse("--runtime ./other.ts", { [variable]: host }).runtime).toBe("./other.ts")
  })
})

test("containerd is found as nerdctl finds it, unless it is said", () => {
  const argv = "--nerdctl /n --containerd-address unix:///c.sock --containerd-namespace k8s.io"
  const { nerdctl, containerdAddress, containerdNamespace } = parse(argv).engines
  expect([nerdctl, containerdAddress, containerdNamespace]).toEqual(["/n", "/c.sock", "k8s.io"])
})

describe("the local listeners", () => {
  test("are where they are asked for, or nowhere", () => {
    expect(parse("--local-socket /s").localSocket).toEqual({ paths: ["/s"], asked: true })
    expect(parse("--local-socket none").localSocket).toBeUndefined()
    expect(parse("--local-listen none").localListen).toBeUndefined()
    expect(parse("--local-listen [::1]:0").localListen).toEqual({ hostname: "::1", port: 0 })
  })
})

describe("API keys", () => {
  test("come from the file, the environment and the systemd credential, all together", () => {
    const env = { APPLOGS_API_KEY: "from-env", CREDENTIALS_DIRECTORY: "/cred" }
    const files = { "/keys": "from-file", "/cred/api-key": "from-credential" }
    expect(parse("--api-key-file /keys", env, files).keys).toEqual([
      { source: "--api-key-file", text: "from-file" },
      { source: "APPLOGS_API_KEY", text: "from-env" },
      { source: "credential api-key", text: "from-credential" },
    ])
  })

  test("need not be among a unit's credentials, but must be readable if they are", () => {
    const env = { CREDENTIALS_DIRECTORY: "/cred" }
    expect(parse("", env).keys).toEqual([])
    expect(parse("", env, { "/cred/api-key": "\n" }).keys).toEqual([])
    const files = { "/cred/api-key": new Error("EACCES") }
    expect(mistake("", env, files)).toStartWith("credential api-key: a readable file is wanted")
  })

  test("are no option of the file, nor a flag, where others could read them", () => {
    expect(mistake("--api-key secret")).not.toContain("secret")
    expect(mistake("--config /c", {}, { "/c": 'api-key = "secret"' })).not.toContain("secret")
  })
})
