import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hashKey } from "../../src/http/keys.ts"
import { BINARY, PLUGIN, Service, untilIt } from "./service.ts"

const [OLD, NEW, OTHER] = ["old-canary-", "new-canary-", "other-canary-"].map((key) =>
  key.repeat(4),
) as [string, string, string]

const scratch = mkdtempSync(join(tmpdir(), "applogs-reload-"))
afterAll(() => rmSync(scratch, { recursive: true }))

function file(name: string, text = ""): string {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}

function tableOf(name: string, key: string, more = ""): string {
  return `[${name}]\nhash = "sha256:${Buffer.from(hashKey(key)).toString("hex")}"\n${more}`
}

function createAsk(origin: string) {
  return (key: string, path = "/api/apps/quiet") =>
    fetch(origin + path, { headers: { Authorization: `Bearer ${key}` } })
}

async function limitsOf(service: Service): Promise<Record<string, number>> {
  const text = await (await service.get("/metrics")).text()
  const found = text.matchAll(/^applogs_limit{limit="(\w+)"} (\d+)$/gm)
  return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]))
}

describe("applogs serve, on SIGHUP", () => {
  test("takes the keys that its file has now, and knows the others no more", async () => {
    const path = file("keys", `${OLD}\n${OTHER}\n`)
    await using service = new Service(["--api-key-file", path])
    const ask = createAsk(await service.api())
    expect([(await ask(OLD)).status, (await ask(NEW)).status]).toEqual([200, 401])
    file("keys", tableOf("new", NEW) + tableOf("other", OTHER, 'apps = ["no*"]\n'))
    expect(await service.reload()).toContain('event=reloaded keys=2 names="new,other"')
    expect([(await ask(OLD)).status, (await ask(NEW)).status]).toEqual([401, 200])
    expect([(await ask(OTHER)).status, (await ask(OTHER, "/api/apps/noisy")).status]).toEqual([
      404, 200,
    ])
  })

  test("ends the streams of a key that was taken away, and no other", async () => {
    const path = file("streams", `${OLD}\n${OTHER}\n`)
    await using service = new Service(["--api-key-file", path])
    const ask = createAsk(await service.api())
    const stream = "/api/apps/quiet/logs/stream?tail=1"
    const [taken, kept] = [await ask(OLD, stream), await ask(OTHER, stream)]
    file("streams", `${OTHER}\n${NEW}\n`)
    await service.reload()
    expect(await taken.text()).toEndWith('data: {"reason":"revoked","retryable":false}\n\n')
    service.stop()
    expect(await kept.text()).toContain(
      'event: end\ndata: {"reason":"shutdown","retryable":true}\n',
    )
    expect(await service.exited).toBe(0)
  })

  test("takes the limits of its files, and shows them", async () => {
    const path = file("config", "max-streams = 10\ntail-max = 5\nring-bytes = 100000\n")
    const args = ["--config", path, "--max-snapshots", "3"]
    await using service = new Service(args, { APPLOGS_API_KEY: OLD })
    const ask = createAsk(await service.api())
    const before = await limitsOf(service)
    expect(before).toMatchObject({ streams: 10, tail: 5, snapshots: 3, ring_bytes: 100_000 })
    expect((await ask(OLD, "/api/apps/quiet/logs?tail=6")).status).toBe(400)
    file(
      "config",
      "max-streams = 20\nmax-streams-per-key = 1\ntail-max = 7\nmax-snapshots = 9\nring-bytes = 200000\n",
    )
    expect(await service.reload()).toContain("event=reloaded keys=1")
    // A flag still wins over the file, and what is built at the start stays as it was.
    const after = { ...before, streams: 20, streams_per_key: 1, tail: 7 }
    expect(await limitsOf(service)).toEqual(after)
    expect((await ask(OLD, "/api/apps/quiet/logs?tail=6")).status).toBe(200)
    const stream = "/api/apps/quiet/logs/stream"
    const [first, second] = [await ask(OLD, stream), await ask(OLD, stream)]
    expect([first.status, second.status]).toEqual([200, 429])
    await first.body?.cancel()
  })

  test("logs as much as its file says now", async () => {
    const path = file("level", 'log-level = "error"\n')
    await using service = new Service(["--config", path])
    await service.listening()
    expect(service.errors).toBe("")
    file("level", 'log-level = "info"\n')
    expect(await service.reload()).toContain("event=reloaded keys=0")
  })

  test("with a mistake in a file changes nothing, and says which", async () => {
    const [keys, config] = [file("bad-keys", OLD), file("bad-config", "tail-max = 5\n")]
    await using service = new Service(["--api-key-file", keys, "--config", config])
    const ask = createAsk(await service.api())
    const refused = async (reason: string) => {
      const said = await service.reload()
      expect(said).toStartWith('event="not reloaded" reason=')
      expect(said).toContain(reason)
      expect([(await ask(OLD)).status, (await ask(NEW)).status]).toEqual([200, 401])
      expect((await limitsOf(service))["tail"]).toBe(5)
    }
    file("bad-config", "tail-max = 6\n")
    file("bad-keys", `${tableOf("new", NEW)}apps = []\n`)
    await refused("--api-key-file: new: apps = ")
    rmSync(keys)
    await refused("--api-key-file: there is no file")
    file("bad-keys", NEW)
    file("bad-config", "tail-max = 0\n")
    await refused("an integer from 1 to 1000000 is wanted")
    file("bad-config", "tail-max = 6\n")
    expect(await service.reload()).toContain("event=reloaded keys=1")
    expect([(await ask(OLD)).status, (await ask(NEW)).status]).toEqual([401, 200])
  })
})

test("started in a terminal, reloads when it is asked to, and ends with the terminal", async () => {
  let said = ""
  const args = ["--listen", "127.0.0.1:0", "--local-socket", "none", "--runtime", PLUGIN]
  const service = Bun.spawn([BINARY, "serve", ...args], {
    env: {},
    terminal: { data: (_, bytes) => void (said += new TextDecoder().decode(bytes)) },
  })
  try {
    await untilIt("starts", () => said.includes("event=started"))
    service.kill("SIGHUP")
    await untilIt("reloads", () => said.includes("event=reloaded"))
    service.terminal?.close()
    expect(await Promise.race([service.exited, Bun.sleep(10_000)])).toBe(0)
  } finally {
    service.kill("SIGKILL")
  }
})

test("a key that `applogs key` made opens its apps, and is said nowhere else", async () => {
  const made = Bun.spawnSync([BINARY, "key", "grafana", "--apps", "qui*"])
  expect(made.exitCode).toBe(0)
  const key = /^applogs_.+$/m.exec(made.stderr.toString())?.[0] ?? ""
  const path = file("made", `# no line end${made.stdout.toString()}`)
  const args = ["--api-key-file", path, "--log-level", "debug"]
  await using service = new Service(args, { APPLOGS_API_KEY: OTHER })
  const ask = createAsk(await service.api())
  let told = ""
  for (const sent of [key, OTHER, `${key}x`, key.slice(0, -1)]) {
    for (const route of ["/api/apps", "/api/apps/noisy", "/metrics", `/api/apps?token=${key}`]) {
      told += await (await ask(sent, route)).text()
    }
  }
  expect((await ask(key)).status).toBe(200)
  expect((await ask(key, "/api/apps/noisy")).status).toBe(404)
  file("made", tableOf("grafana", key, `key = "${NEW}"\n`))
  await service.reload()
  file("made", `${key}\nshort`)
  await service.reload()
  service.stop()
  await service.exited
  for (const secret of [key, OTHER, NEW]) {
    for (const text of [told, service.errors, made.stdout.toString()]) {
      expect(text).not.toContain(secret)
    }
  }
  expect(service.errors).toContain("grafana: nothing but hash and apps")
})

test("no key is in the command line that others can see", async () => {
  const path = file("seen", NEW)
  await using service = new Service(["--api-key-file", path], { APPLOGS_API_KEY: OLD })
  const ask = createAsk(await service.api())
  expect([(await ask(OLD)).status, (await ask(NEW)).status]).toEqual([200, 200])
  expect(service.commandLine).toContain("--api-key-file")
  for (const key of [OLD, NEW]) expect(service.commandLine).not.toContain(key)
})
