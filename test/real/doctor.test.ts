/** What the doctor says of a real Docker Engine: to root, and to users who lack a right. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { BINARY } from "../commands/service.ts"
import { type PrivateDocker, startDocker } from "./docker.ts"
import { whyNoDocker } from "./machine.ts"
import { print } from "./writer.ts"

/** Nobody's, on every Linux; and a group that has a name on Debian. */
const [USER, GROUP, GROUP_NAME] = [65_534, 4, "adm"]

describe.skipIf(whyNoDocker() !== undefined)("applogs doctor beside a real Docker Engine", () => {
  let docker: PrivateDocker
  let folder: string
  beforeAll(async () => {
    docker = await startDocker()
    chmodSync(dirname(docker.socket), 0o711)
    chownSync(docker.socket, 0, GROUP)
    const labels = { "applogs.app": "shop" }
    const hello = { labels, command: print("hello\n") }
    await docker.exited(await docker.run({ ...hello, name: "web" }))
    await docker.exited(await docker.run({ ...hello, name: "local", logDriver: "local" }))
    await docker.exited(await docker.run({ ...hello, name: "silent", logDriver: "none" }))
    await docker.create({ name: "new", command: print("hello\n") })
    folder = mkdtempSync(join(tmpdir(), "applogs-doctor-"))
    chownSync(folder, USER, USER)
    // The repository may lie where that user cannot go.
    copyFileSync(BINARY, join(folder, "applogs"))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await docker?.[Symbol.asyncDispose]()
  })

  async function consult(
    user: readonly string[] = [],
    places = ["--listen=127.0.0.1:0", `--local-socket=${join(folder, "socket")}`],
  ) {
    const engine = ["--runtime=docker", `--docker-socket=${docker.socket}`]
    const doctor = Bun.spawn([...user, join(folder, "applogs"), "doctor", ...engine, ...places], {
      env: { PATH: process.env["PATH"] ?? "", APPLOGS_API_KEY: "k".repeat(32) },
      stderr: "pipe",
    })
    const out = await new Response(doctor.stdout).text()
    expect(await new Response(doctor.stderr).text()).toBe("")
    const lines = out.replaceAll(docker.socket, "SOCKET").replaceAll(folder, "HERE").trimEnd()
    return { code: await doctor.exited, lines: lines.split("\n") }
  }

  const as = (group: number) => [
    "setpriv",
    `--reuid=${USER}`,
    `--regid=${USER}`,
    `--groups=${group}`,
    "--inh-caps=-all",
  ]

  const exact =
    "what is exact: json-file, where its file can be read; json-file otherwise, without max-size"

  test("all is well for root, but for the drivers that keep less", async () => {
    const { code, lines } = await consult()
    expect(code).toBe(0)
    expect(lines[0]).toMatch(/^ok {4}docker: it answers \(API 1\.\d+\)$/)
    expect(lines[1]).toBe("ok    containers: 4 in 2 apps")
    expect(lines.slice(2, 6).toSorted()).toEqual([
      "ok    logs: 1 container best-effort, read by the API or CLI (of a container that was never started): it has not been started yet",
      "ok    logs: 1 container exact, read from their files (json-file, where its file can be read)",
      `warn  logs: 1 container best-effort, read by the API or CLI (json-file otherwise, local): the engine passes over what it rotates away before it has sent it: local: ${exact}`,
      `warn  logs: 1 container unreadable, read from nowhere (none): the logging driver keeps no logs (none): silent: ${exact}`,
    ])
    expect(lines.slice(6, -1)).toEqual([
      "ok    log files: those of 1 of 4 containers are read",
      "ok    clock: nothing is ahead of it",
      "ok    keys: 1 key from APPLOGS_API_KEY",
      "ok    --listen 127.0.0.1:0: any port that is free",
      "ok    --local-socket HERE/socket: it can be made",
    ])
  })

  test("a user who may not read log files is told the right for it", async () => {
    const { code, lines } = await consult(as(GROUP))
    expect(code).toBe(0)
    expect(lines).toContain(
      "warn  log files: none of 4 containers has one that can be read by this user, so that the runtime has to read them: run as root, or with the capability CAP_DAC_READ_SEARCH, as the unit of applogs unit",
    )
  })

  test("a user is told where it may not listen", async () => {
    const places = ["--listen=127.0.0.1:81", "--local-socket=/usr/applogs/socket"]
    const { lines } = await consult(as(GROUP), places)
    const least = Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8"))
    if (least > 81) {
      expect(lines).toContain(
        "fail  --listen 127.0.0.1:81: this user may not listen there: choose a port from 1024 on",
      )
    }
    expect(lines).toContain(
      "fail  --local-socket /usr/applogs/socket: this user may not write to /usr: name a place where it may",
    )
  })

  test("a user who may not use the socket is told the group", async () => {
    const { code, lines } = await consult(as(USER))
    expect([code, lines[0]]).toEqual([
      1,
      `fail  docker: the engine at SOCKET: permission denied: run as a user of the socket's group: it is the group ${GROUP_NAME}'s: add the user to it (usermod -aG ${GROUP_NAME} USER), or run as root`,
    ])
    chownSync(docker.socket, 0, 0)
    expect((await consult(as(USER))).lines[0]).toEndWith(": it is root's alone: run as root")
    chownSync(docker.socket, 0, GROUP)
  })
})
