/** The unit that `applogs unit` prints: judged by systemd's own tools, and run by a real systemd beside a real engine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { startDocker } from "./docker.ts"
import { whyNoDocker, whyNoNerdctl, whyNoPodman, whyNoSystemd } from "./machine.ts"
import { startNerdctl } from "./nerdctl.ts"
import { output } from "./output.ts"
import { startPodman } from "./podman.ts"
import type { PrivateRuntime } from "./runtime.ts"
import { closeSandbox, openSandbox, type Placed, SEEN_BY_SERVICES, until } from "./sandbox.ts"
import { PrivateSystemd } from "./systemd.ts"
import { printAndWait } from "./writer.ts"

const BUILT = join(import.meta.dir, "../../dist/applogs")
const INSTALLED = "/opt/applogs"
const KEY = "a-key-that-is-only-for-tests"
const SERVICE = "applogs.service"

const noSystemd = whyNoSystemd()

describe.skipIf(noSystemd !== undefined)(
  `a unit, as systemd's tools see it ${noSystemd ?? ""}`,
  () => {
    const directory = mkdtempSync(join(tmpdir(), "applogs-unit-"))
    afterAll(() => rmSync(directory, { recursive: true }))

    // What is above 1.1: root's sockets (podman, nerdctl), the right to read files, and programs to run (nerdctl).
    test.each([
      { runtime: "docker", source: "api", most: 1.1 },
      { runtime: "docker", source: "auto", most: 1.6 },
      { runtime: "podman", source: "api", most: 1.6 },
      { runtime: "podman", source: "auto", most: 1.6 },
      { runtime: "nerdctl", source: "auto", most: 1.8 },
      { runtime: "files", source: "auto", most: 1.5 },
    ])(
      "$runtime, logs by $source: nothing to complain of, and an exposure of at most $most",
      async ({ runtime, source, most }) => {
        const path = join(directory, `applogs-${runtime}-${source}.service`)
        const root = runtime === "files" ? ["--files-root", "/srv/logs"] : []
        const options = ["--runtime", runtime, "--log-source", source, ...root]
        writeFileSync(path, await output([BUILT, "unit", ...options]))
        const verdict = Bun.spawnSync(["systemd-analyze", "verify", path])
        // Of this machine's other units it may have something to say.
        const complaints = verdict.stderr.toString().split("\n")
        expect(complaints.filter((line) => line.includes("applogs"))).toEqual([])
        const exposure = await output(["systemd-analyze", "security", "--offline=true", path])
        expect(Number(/exposure level for \S+: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThanOrEqual(
          most,
        )
      },
    )
  },
)

const RUNTIMES = [
  { name: "docker", start: startDocker, whyNot: whyNoDocker(), sources: ["file", "api"] },
  { name: "podman", start: startPodman, whyNot: whyNoPodman(), sources: ["file", "api"] },
  { name: "nerdctl", start: startNerdctl, whyNot: whyNoNerdctl(), sources: ["file"] },
  { name: "files", start: startFiles, whyNot: undefined, sources: ["file"] },
] as const

type Host = Pick<PrivateRuntime, "flags" | "run" | "storedEnds" | typeof Symbol.asyncDispose>

describe.each(RUNTIMES)("a unit for $name", ({ name, start, whyNot, sources }) => {
  const reason = noSystemd ?? whyNot
  let real: Host
  let systemd: PrivateSystemd
  beforeAll(async () => {
    if (reason !== undefined) return
    real = await start({ parent: SEEN_BY_SERVICES })
    const id = await real.run({ name: "web", command: printAndWait("hello\n") })
    await until(() => real.storedEnds(id) === 1, { what: "its line" })
    const place = placeOf(real)
    chmodSync(place, 0o711)
    systemd = await PrivateSystemd.start({ [INSTALLED]: dirname(BUILT), [place]: place })
    const socket = Object.entries(real.flags).find(([flag]) => flag === "--docker-socket")?.[1]
    if (socket === undefined) return
    await systemd.run(["groupadd", "--gid", String(statSync(socket).gid), "docker"])
  })
  afterAll(async () => {
    await systemd?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  const ask = (path: string, ...args: readonly string[]) =>
    systemd.ask("curl", "-sS", ...args, `http://localhost${path}`)
  const askLocally = (path: string, ...args: readonly string[]) =>
    ask(path, "--unix-socket", "/run/applogs/applogs.sock", ...args)
  const show = async (property: string) =>
    (await systemd.ask("systemctl", "show", "-P", property, SERVICE)).trim()

  /** Starts the service, with lines of the unit that are another's. */
  async function startService(source: string, more = ""): Promise<void> {
    const flags = [...Object.entries(real.flags).flat(), "--log-source", source]
    const unit = await systemd.ask(`${INSTALLED}/applogs`, "unit", ...flags)
    writeFileSync(systemd.path(`/etc/systemd/system/${SERVICE}`), unit + more)
    await systemd.ask("systemctl", "daemon-reload")
    await systemd.ask("systemctl", "restart", SERVICE)
    expect(await show("ActiveState")).toBe("active")
    const isReady = async () => (await askLocally("/readyz")) === '{"status":"ok"}'
    await until(isReady, { what: "the engine to answer" })
  }

  test.skipIf(reason !== undefined).each([...sources])(
    `its rights are enough to read logs by %s ${reason ?? ""}`,
    async (source) => {
      await startService(source)
      expect(await askLocally("/api/apps/web/logs")).toEndWith("web | hello\n")
      expect(await askLocally("/api/apps/web")).toContain(`"source":"${source}"`)
      await systemd.ask("systemctl", "stop", SERVICE)
      expect(await show("Result")).toBe("success")
    },
  )

  test.skipIf(reason !== undefined)(
    `it says how it is, knows its key, and ends streams when it is stopped ${reason ?? ""}`,
    async () => {
      await startService(sources[0])
      const authorization = ["-H", `Authorization: Bearer ${KEY}`]
      expect(await ask(":6020/api/apps", ...authorization)).toContain("api_key_not_configured")
      const status = `${name} answers; streams: 0; no API key`
      await until(async () => (await show("StatusText")) === status, { what: status })
      await systemd.ask("mkdir", "-p", "/etc/applogs")
      writeFileSync(systemd.path("/etc/applogs/keys.toml"), `${KEY}\n`, { mode: 0o600 })
      await systemd.ask("systemctl", "restart", SERVICE)
      expect(await ask(":6020/api/apps")).toContain("unauthenticated")
      await until(async () => (await ask(":6020/api/apps", ...authorization)).includes('"web"'), {
        what: "the app",
      })
      await systemd.ask("systemctl", "reload", SERVICE)
      const journal = () => systemd.ask("journalctl", "--unit", SERVICE)
      await until(async () => (await journal()).includes("event=reloaded"), { what: "the reload" })
      const stream = askLocally("/api/apps/web/logs/stream?tail=all", "-N")
      const isStreaming = async () => /lines_sent_total 1$/m.test(await askLocally("/metrics"))
      await until(isStreaming, { what: "the stream" })
      await systemd.ask("systemctl", "stop", SERVICE)
      expect(await stream).toMatch(/"hello"[^]*\nevent: end\n/)
      expect(await show("ExecMainStatus")).toBe("0")
    },
  )

  test.skipIf(reason !== undefined)(
    `it is started again when it hangs ${reason ?? ""}`,
    async () => {
      await startService(sources[0], "[Service]\nWatchdogSec=1s\nTimeoutStopSec=1s\n")
      expect(await show("NRestarts")).toBe("0")
      const pid = await show("MainPID")
      await systemd.ask("kill", "-STOP", pid)
      const isBack = async () =>
        (await show("NRestarts")) === "1" && (await show("SubState")) === "running"
      await until(isBack, { what: "the watchdog" })
      expect(await askLocally("/healthz")).toBe('{"status":"ok"}')
      await systemd.ask("systemctl", "stop", SERVICE)
    },
  )
})

/** No engine: a directory with a log that is root's alone. */
async function startFiles(placed: Placed): Promise<Host> {
  const sandbox = await openSandbox(placed)
  return {
    flags: { "--runtime": "files", "--files-root": sandbox.path },
    run: async ({ name }) => {
      mkdirSync(join(sandbox.path, name), { mode: 0o700 })
      writeFileSync(join(sandbox.path, name, "web.log"), "hello\n", { mode: 0o600 })
      return name
    },
    storedEnds: () => 1,
    [Symbol.asyncDispose]: () => closeSandbox(sandbox),
  }
}

/** The directory that all of it is in. */
function placeOf({ flags }: Host): string {
  const path = Object.values(flags).find((value) => value.startsWith(SEEN_BY_SERVICES)) ?? ""
  return path.split("/").slice(0, 3).join("/")
}
