import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { plugin } from "../../plugins/nerdctl.ts"
import { Failure } from "../../src/errors.ts"
import type { Container, Runtime } from "../../src/runtime.ts"
import { isRunning, until } from "../real/sandbox.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { StandIn } from "./stand-in.ts"

const PATH = "/usr/bin:/bin"
const ID = "0123456789abcdef".repeat(4)
const { signal: never } = new AbortController()

function runtimeOf(nerdctl: string): Runtime {
  return plugin.create(runtimeOptions({ nerdctl, env: { PATH } }))
}

/** What is said of it that it cannot be used. */
async function complaint(asking: Promise<unknown>): Promise<string> {
  const error: unknown = await asking.then(
    () => "it can",
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Failure)
  const { code, message } = error as Failure
  expect(code).toBe("runtime_unavailable")
  return message
}

const ping = (nerdctl: string) => complaint(runtimeOf(nerdctl).ping(never))

function row(fields: object): string {
  const labels = { "nerdctl/state-dir": `/nowhere/${ID}` }
  const usual = { Name: "web", Status: "Up", CreatedAt: "2026-08-20T12:00:00.5Z", Labels: labels }
  return `cat <<'E'\n${JSON.stringify({ ID, ...usual, ...fields })}\nE\n`
}

test("one that is not there, or may not be run, is said to be so, with what to do", async () => {
  const where = "install it, or say where it is"
  expect(await ping("/nowhere/nerdctl")).toBe(
    `nerdctl: "/nowhere/nerdctl" cannot be run: there is no such program: ${where}`,
  )
  expect(await ping("no-nerdctl-on-the-path")).toContain(where)
  using standIn = new StandIn({})
  standIn.write("echo nerdctl version 2.0.0", 0o644)
  expect(await ping(standIn.path)).toContain("permission denied")
})

test.each([
  ["nerdctl version 1.7.6", "nerdctl: version 1.7.6 is too old: install 2.0 or a newer one"],
  ["nerdctl version 0.23.0-beta.1", "nerdctl: version 0.23.0-beta.1 is too old"],
  ["usage: something else", "nerdctl: it does not say its version: is it nerdctl?"],
  ["", "nerdctl: it does not say its version: is it nerdctl?"],
])("one that calls itself %j is refused", async (version, said) => {
  using standIn = new StandIn({}, { version })
  expect(await ping(standIn.path)).toStartWith(said)
})

test.each(["nerdctl version 2.0.0", "nerdctl version v2.3.5", "nerdctl version 2.1.0-rc.1"])(
  "one that calls itself %j will do",
  async (version) => {
    using standIn = new StandIn({}, { version })
    const { version: known } = await runtimeOf(standIn.path).ping(never)
    expect(`nerdctl version ${known}`).toBe(version.replace("v2", "2"))
  },
)

test("one that fails is quoted: the first line that is no warning, and of a structured one the message", async () => {
  const lines = [
    'time="2026-08-20T12:00:00Z" level=warning msg="nothing to worry about"',
    'time="2026-08-20T12:00:00Z" level=fatal msg="cannot access \\"/run/x\\": \u001b[31mdenied"',
    "and more",
  ]
  using standIn = new StandIn({ info: `cat >&2 <<'E'\n${lines.join("\n")}\nE\nexit 1` })
  expect(await ping(standIn.path)).toBe('nerdctl: cannot access "/run/x":  [31mdenied')
  using silent = new StandIn({ info: "exit 3" })
  expect(await ping(silent.path)).toBe("nerdctl: it ended with code 3")
})

test("warnings of one that succeeds are none of ours", async () => {
  const warning = `echo 'time="2026-08-20T12:00:00Z" level=warning msg="old"' >&2`
  using standIn = new StandIn({ ps: `${warning}\n${row({})}` })
  expect(await runtimeOf(standIn.path).list(never)).toMatchObject([{ id: ID, name: "web" }])
})

test.each(["hello", '{"ID":', "null", "[", '{"ID":1}x'])(
  "that it says %j is no list",
  async (said) => {
    using standIn = new StandIn({ ps: `echo '${said}'` })
    const message = await complaint(runtimeOf(standIn.path).list(never))
    expect(message).toBe("nerdctl: it says what cannot be understood: is it nerdctl 2?")
  },
)

test("a list that a container's removal has spoilt is asked for again", async () => {
  const spoilt = `[ -e "$here/asked" ] || { touch "$here/asked"; echo 'container "x": not found' >&2; exit 1; }`
  using standIn = new StandIn({ ps: `${spoilt}\n${row({})}` })
  expect(await runtimeOf(standIn.path).list(never)).toHaveLength(1)
  using always = new StandIn({ ps: `echo 'container "x": not found' >&2; exit 1` })
  expect(await complaint(runtimeOf(always.path).list(never))).toContain("not found")
})

test("one that hangs is given up, and ended with all that it started, however deaf", async () => {
  using standIn = new StandIn({
    ps: `trap '' TERM; sleep 1000 & echo $! >"$here/child"; echo $$ >"$here/parent"; wait; wait`,
  })
  const runtime = runtimeOf(standIn.path)
  const message = await complaint(runtime.list(never))
  expect(message).toStartWith("nerdctl: it did not answer within 10 s")
  for (const name of ["parent", "child"]) {
    const pid = Number(standIn.file(name))
    await until(() => !isRunning(pid), { what: `${name} to end` })
  }
}, 20_000)

test("one that is at work when the runtime is disposed of ends", async () => {
  using standIn = new StandIn({
    ps: `echo $$ >"$here/pid.new"; mv "$here/pid.new" "$here/pid"; sleep 1000`,
  })
  const runtime = runtimeOf(standIn.path)
  const listing = runtime.list(never).catch(() => "given up")
  const pid = await until(
    () => {
      try {
        return Number(standIn.file("pid"))
      } catch {
        return false
      }
    },
    { what: "it to be at work" },
  )
  await runtime[Symbol.asyncDispose]()
  expect(await listing).toBe("given up")
  await until(() => !isRunning(pid), { what: "it to end" })
})

test("it is given the environment that it is to have, and no other", async () => {
  using standIn = new StandIn({ ps: 'env >"$here/env"' })
  const nerdctl = standIn.path
  await plugin.create(runtimeOptions({ nerdctl, env: { PATH, OURS: "1" } })).list(never)
  const names = standIn.file("env").match(/^\w+(?==)/gm) ?? []
  expect(
    names.filter((name) => !["PATH", "OURS", "PWD", "SHLVL", "_", "OLDPWD"].includes(name)),
  ).toEqual([])
  expect(names).toContain("OURS")
})

test("what is no container id never gets onto a command line", async () => {
  const note = 'echo "$@" >>"$here/asked"'
  using standIn = new StandIn({
    ps: `${note}\n${row({ ID: "--help" })}`,
    inspect: note,
    logs: note,
  })
  const runtime = runtimeOf(standIn.path)
  expect(await runtime.list(never)).toEqual([])
  for (const id of ["--help", "redis", `${ID}0`, ID.toUpperCase()]) {
    const container = { id, name: "web" } as Container
    const batches = runtime.read(container, { from: "beginning" }, { follow: false, signal: never })
    expect(await Array.fromAsync(batches)).toEqual([])
  }
  expect(standIn.file("asked")).not.toMatch(/inspect|logs|--help|redis/)
})

test("changes before it listens are found by comparison", async () => {
  using standIn = new StandIn({ ps: 'cat "$here/list"', events: "sleep 1000" })
  const put = (rows: readonly object[]) => {
    const lines = rows.map((each) => JSON.stringify({ ID, Status: "Up", ...each }))
    writeFileSync(join(standIn.directory, "list"), `${lines.join("\n")}\n`)
  }
  const other = ID.replaceAll("0", "f")
  put([{ Status: "Created" }, { ID: other, Status: "Up" }])
  const abort = new AbortController()
  const changes: string[] = []
  const ready = () => put([{ Status: "Up" }])
  for await (const { id, change } of runtimeOf(standIn.path).watch(ready, abort.signal)) {
    changes.push(`${id === ID ? "one" : "other"} ${change}`)
    if (changes.length === 2) abort.abort()
  }
  expect(changes).toEqual(["one started", "other removed"])
})
