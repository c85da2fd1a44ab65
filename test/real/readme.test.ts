/** The README's way from the executable to the first line, literally, on a new system beside an engine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { type PrivateDocker, startDocker } from "./docker.ts"
import { whyNoDocker, whyNoSystemd } from "./machine.ts"
import { SEEN_BY_SERVICES } from "./sandbox.ts"
import { PrivateSystemd } from "./systemd.ts"
import { writer } from "./writer.ts"

const ROOT = join(import.meta.dir, "../..")
const CLONE = "/opt/applogs"

const reason = whyNoSystemd() ?? whyNoDocker()

describe.skipIf(reason !== undefined)(`the README's installation ${reason ?? ""}`, () => {
  let docker: PrivateDocker
  let systemd: PrivateSystemd
  beforeAll(async () => {
    docker = await startDocker({ parent: SEEN_BY_SERVICES })
    const labels = { "applogs.app": "shop", "applogs.service": "web" }
    await docker.run({ name: "web", labels, command: writer({ name: "web", rate: 10 }) })
    const place = dirname(docker.socket)
    chmodSync(place, 0o711)
    systemd = await PrivateSystemd.start({
      [`${CLONE}/dist`]: join(ROOT, "dist"),
      [place]: place,
      "/run/docker.sock": docker.socket,
    })
    // As the engine's package does.
    await systemd.run(["groupadd", "--gid", String(statSync(docker.socket).gid), "docker"])
  })
  afterAll(async () => {
    await systemd?.[Symbol.asyncDispose]()
    await docker?.[Symbol.asyncDispose]()
  })

  test("leads to the first line in under ten commands", async () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8")
    const commands = /^## Install\n\n```sh\n([^]*?)```/m.exec(readme)?.[1]?.trim().split("\n") ?? []
    expect(commands.length).toBeWithin(5, 10)
    // The executable has been built.
    expect(commands.shift()).toBe("make build")
    const follow = commands.pop() ?? ""
    const said: string[] = []
    for (const command of commands) {
      said.push(await systemd.ask("sh", "-ec", `cd ${CLONE}; ${command}`))
    }
    const [key = ""] = /applogs_\S{43}/.exec(said.join("")) ?? []
    expect(said.at(-1)).toContain("shop")
    const tail = systemd.spawn(["sh", "-ec", `exec ${follow}`])
    const { value } = await tail.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toMatch(/^web \| web\.1 std/)
    tail.kill()
    // And from elsewhere, with the key that was shown.
    const request = ["-sS", "-H", `Authorization: Bearer ${key}`, "localhost:6020/api/apps"]
    expect(await systemd.ask("curl", ...request)).toContain('"shop"')
    expect(await systemd.ask("journalctl", "-u", "applogs")).not.toContain(key)
  })
})
