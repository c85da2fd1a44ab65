import { describe, expect, test } from "bun:test"
import { examineClock } from "../../../src/commands/doctor/clock.ts"
import {
  examineContainers,
  examineFiles,
  mayReadAll,
} from "../../../src/commands/doctor/containers.ts"
import type { Finding } from "../../../src/commands/doctor/finding.ts"
import {
  type Container,
  type DeclaredGuarantee,
  type Guarantee,
  type LogSource,
  type Runtime,
  RUNTIME_API,
  type RuntimePlugin,
} from "../../../src/runtime.ts"
import type { Instant } from "../../../src/time.ts"
import { Host } from "./consult.ts"

const EXACT: DeclaredGuarantee = {
  logs: "`good`, by file",
  level: "exact",
  source: "file",
  reason: "",
}
const LOSSY: DeclaredGuarantee = {
  logs: "`journald`",
  level: "best-effort",
  source: "api",
  reason: "it drops lines",
}
const NONE: DeclaredGuarantee = {
  logs: "`none`",
  level: "unreadable",
  source: "none",
  reason: "it keeps no logs",
}

const PAST = "2026-01-01T00:00:00.000000000Z" as Instant

function containerOf(name: string, guarantee: Guarantee, more: Partial<Container> = {}): Container {
  const id = Bun.SHA256.hash(name, "hex")
  return { id, name, labels: {}, state: "running", createdAt: PAST, guarantee, ...more }
}

function runtimeOf(list: Runtime["list"], read: Runtime["read"] = async function* () {}): Runtime {
  const name = "fake"
  const ping = async () => ({ version: "1" })
  return { name, ping, list, read, async *watch() {}, async [Symbol.asyncDispose]() {} }
}

function pluginOf(runtime: Runtime): RuntimePlugin {
  const guarantees = [EXACT, LOSSY, NONE]
  return { name: "fake", api: RUNTIME_API, guarantees, create: () => runtime }
}

async function linesOf(findings: AsyncIterable<Finding>): Promise<string[]> {
  const lines: string[] = []
  for await (const { level, what, found, remedy } of findings) {
    lines.push([`${level} ${what}`, found, ...(remedy ? [remedy] : [])].join(": "))
  }
  return lines
}

function examine(containers: readonly Container[], logSource: LogSource = "auto") {
  const runtime = runtimeOf(async () => containers)
  const plugin = pluginOf(runtime)
  return linesOf(examineContainers({ runtime, plugin, logSource }))
}

describe("containers", () => {
  test("are counted by app and guarantee, and those that are less than exact are named", async () => {
    const many = Array.from({ length: 13 }, (_, index) => containerOf(`j${index}`, LOSSY))
    const ignored = containerOf("hidden", NONE, { labels: { "applogs.ignore": "yes" } })
    const shop = { labels: { "applogs.app": "shop" } }
    const pair = [containerOf("a", EXACT, shop), containerOf("b", EXACT, shop)]
    expect(await examine([...pair, ...many, containerOf("n", NONE), ignored])).toEqual([
      "ok containers: 16 in 15 apps, and 1 with the label applogs.ignore",
      "ok logs: 2 containers exact, read from their files (good, by file)",
      "warn logs: 13 containers best-effort, read by the API or CLI (journald): it drops lines: j0, j1, j2, j3, j4, j5, j6, j7, j8, j9 and 3 more: what is exact: good, by file",
      "warn logs: 1 container unreadable, read from nowhere (none): it keeps no logs: n: what is exact: good, by file",
      "ok log files: those of 2 of 16 containers are read",
    ])
  })

  test("may be none, or none that has been started", async () => {
    expect(await examine([])).toEqual(["ok containers: 0 in 0 apps"])
    const fresh = containerOf("new", { ...LOSSY, reason: "it is new" }, { state: "created" })
    expect((await examine([fresh], "api")).slice(1)).toEqual([
      "ok logs: 1 container best-effort, read by the API or CLI: it is new",
      "ok log files: they are left alone (--log-source api)",
    ])
  })

  test("that cannot be listed are a failure", async () => {
    const runtime = runtimeOf(() => Promise.reject(new Error("it broke")))
    const plugin = pluginOf(runtime)
    const lines = await linesOf(examineContainers({ runtime, plugin, logSource: "auto" }))
    expect(lines).toEqual(["fail containers: it broke"])
  })
})

describe("log files", () => {
  const all = [containerOf("a", LOSSY)]
  const plugin = { guarantees: [EXACT, LOSSY] }

  test("that none can be read of lack a right, if this user lacks it", () => {
    expect(examineFiles(all, plugin, "auto", false)).toEqual({
      level: "warn",
      what: "log files",
      found:
        "none of 1 container has one that can be read by this user, so that the runtime has to read them",
      remedy:
        "run as root, or with the capability CAP_DAC_READ_SEARCH, as the unit of applogs unit",
    })
    expect(examineFiles(all, plugin, "file", false).found).toEndWith("read by this user")
    expect(examineFiles(all, plugin, "auto", true).level).toBe("ok")
    expect(examineFiles(all, { guarantees: [LOSSY] }, "auto", false).level).toBe("ok")
  })

  test.each([
    ["0000000000000000", false],
    ["0000000000000001", false],
    ["0000000000000002", true],
    ["0000000000000004", true],
    ["000001ffffffffff", true],
  ])("a process with the capabilities %s: %p", (held, expected) => {
    using host = new Host()
    expect(mayReadAll(host.write("status", `Name:\tx\nCapEff:\t${held}\n`))).toBe(expected)
    expect(mayReadAll("/nowhere")).toBe(false)
  })
})

describe("the clock", () => {
  test("is behind what a line says", async () => {
    using host = new Host()
    host.log("web", "2099-01-01T00:00:00Z stdout F hello")
    host.log("old", "2026-01-01T00:00:00Z stdout F hello")
    expect(await host.about("clock")).toEqual([
      "warn  clock: the newest line of shop-web is of 2099-01-01T00:00:00.000000000Z, ahead of this host's clock: see to the clock (timedatectl); until then, resume by cursors: since= passes over lines",
    ])
  })

  test("is behind a container's creation; a log that cannot be read is told", async () => {
    const createdAt = "2099-01-01T00:00:00.000000000Z" as Instant
    const runtime = runtimeOf(
      async () => [],
      () => {
        throw new Error("it is torn")
      },
    )
    const containers = [containerOf("a", LOSSY, { createdAt }), containerOf("b", NONE)]
    expect(await linesOf(examineClock(runtime, containers))).toEqual([
      "warn logs: a: it is torn",
      expect.stringMatching(/^warn clock: the container a is of 2099-01-01T00:00:00.000000000Z, /),
    ])
    expect(await linesOf(examineClock(runtime, []))).toEqual([])
  })
})
