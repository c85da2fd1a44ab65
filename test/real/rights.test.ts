/** The executable as a user with no more rights than the README's unit gives it: what is read, and where from. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type PrivateDocker, startDocker } from "./docker.ts"
import { whyNoDocker } from "./machine.ts"
import { until } from "./sandbox.ts"
import { print } from "./writer.ts"

/** Nobody's, on every Linux. */
const USER = 65_534

const BUILT = join(import.meta.dir, "../../dist/applogs")

interface App {
  readonly services: readonly {
    readonly containers: readonly { readonly guarantee: { readonly source: string } }[]
  }[]
}

describe.skipIf(whyNoDocker() !== undefined)("as a user of the socket's group", () => {
  let docker: PrivateDocker
  let directory: string
  beforeAll(async () => {
    docker = await startDocker()
    chmodSync(dirname(docker.socket), 0o711)
    await docker.exited(await docker.run({ name: "web", command: print("hello\n") }))
    directory = mkdtempSync(join(tmpdir(), "applogs-rights-"))
    chownSync(directory, USER, USER)
    // The repository may lie where that user cannot go.
    copyFileSync(BUILT, join(directory, "applogs"))
  })
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true })
    await docker?.[Symbol.asyncDispose]()
  })

  test.each([
    { source: "api", rights: [] },
    {
      source: "file",
      rights: ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"],
    },
  ])("logs are read by $source, with the capabilities $rights", async ({ source, rights }) => {
    const group = statSync(docker.socket).gid
    const user = [`--reuid=${USER}`, `--regid=${USER}`, `--groups=${group}`]
    const local = join(directory, "local.sock")
    const serve = ["serve", `--docker-socket=${docker.socket}`, `--local-socket=${local}`]
    const command = ["setpriv", ...user, ...rights, join(directory, "applogs"), ...serve]
    const child = Bun.spawn([...command, "--listen=127.0.0.1:0"], {
      env: { PATH: process.env["PATH"] ?? "" },
      cwd: directory,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    })
    try {
      const ask = (path: string) => fetch(`http://localhost${path}`, { unix: local })
      const answer = async () => {
        const app = await ask("/api/apps/web").catch(() => undefined)
        return app?.ok === true && ((await app.json()) as App)
      }
      const app = await until(answer, { what: "the app" })
      expect(app.services[0]?.containers[0]?.guarantee.source).toBe(source)
      expect(await (await ask("/api/apps/web/logs")).text()).toEndWith("web | hello\n")
    } finally {
      child.kill()
      await child.exited
    }
  })
})
