/** What Podman's plugin does at a socket that is not Podman's. */
import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { plugin } from "../../plugins/podman.ts"
import { runtimeOptions } from "../runtime-options.ts"

const directory = mkdtempSync(join(tmpdir(), "applogs-podman-"))
const podmanSocket = join(directory, "docker.sock")
const asked: string[] = []
const docker = Bun.serve({
  unix: podmanSocket,
  fetch(request) {
    asked.push(`${request.method} ${new URL(request.url).pathname}`)
    return new Response("OK", { headers: { "Api-Version": "1.43" } })
  },
})
afterAll(async () => {
  await docker.stop(true)
  rmSync(directory, { recursive: true })
})

test("a Docker Engine is refused, with what to do about it, and asked nothing else", async () => {
  await using runtime = plugin.create(runtimeOptions({ podmanSocket }))
  const { signal } = new AbortController()
  const refusal = {
    code: "runtime_unavailable",
    message: expect.stringContaining("--runtime docker") as string,
  }
  await expect(runtime.ping(signal)).rejects.toMatchObject(refusal)
  await expect(runtime.list(signal)).rejects.toMatchObject(refusal)
  const watching = runtime.watch(() => {}, signal)[Symbol.asyncIterator]()
  await expect(watching.next()).rejects.toMatchObject(refusal)
  expect(new Set(asked)).toEqual(new Set(["GET /_ping"]))
})
