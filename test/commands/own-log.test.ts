/** What applogs says of itself: little, nothing of what it serves, and no key; so that it may serve its own log, too. */
import { afterAll, expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Applogs } from "../real/e2e/applogs.ts"
import { Follower } from "../real/e2e/follower.ts"
import { readText } from "../real/e2e/wire.ts"
import { WrittenShop } from "../real/written-shop.ts"

const CLIENTS = 50

const directories: string[] = []
afterAll(() => directories.forEach((each) => rmSync(each, { recursive: true, force: true })))

/** It writes its log where the runtime finds it: as the service `own`. */
async function openShop(shop: WrittenShop, more: Readonly<Record<string, string>> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "applogs-own-log-"))
  directories.push(directory)
  const applogs = new Applogs({ flags: { ...shop.flags, ...more } }, { directory })
  await applogs.start()
  shop.adopt("own", join(directory, "log"))
  await applogs.ready()
  return applogs
}

test("its own log, followed by clients that come and go, does not grow by that", async () => {
  using shop = new WrittenShop()
  await using applogs = await openShop(shop)
  const before = applogs.log().split("\n").length
  const own = new Follower(applogs, "shop", "service=own&tail=all")
  await own.connect()
  await own.readUntil(() => own.lines.length > 0, "a line of its own")
  for (let client = 0; client < CLIENTS; client++) {
    const follower = new Follower(applogs, "shop", "service=web&tail=all")
    await follower.connect()
    shop.write(10)
    await follower.readUntil(() => follower.lines.length >= shop.written, "all lines")
    follower.cut()
  }
  own.cut()
  expect(applogs.log().split("\n").length - before).toBeLessThan(10)
})

test("neither a line nor a key ever stands in it, however much it is to say", async () => {
  using shop = new WrittenShop()
  await using applogs = await openShop(shop, { "--log-level": "debug" })
  const canary = randomBytes(16).toString("hex")
  shop.say(`password=${canary}`)
  const stream = new Follower(applogs, "shop", "tail=all")
  await stream.connect()
  await stream.readUntil(() => stream.lines.some(({ message }) => message.includes(canary)), "it")
  stream.cut()
  for (const path of ["?format=json", "?format=ndjson", `?grep=${canary}`, "?tail=-1", "?zzz=1"]) {
    await readText(await applogs.get(`/api/apps/shop/logs${path}`))
  }
  const given = `wrong-${canary}`
  for (const name of ["key", "token", "access_token"]) {
    await readText(await applogs.get(`/api/apps?${name}=${given}`))
  }
  const answer = await applogs.get("/api/apps", { Authorization: `Bearer ${given}` })
  expect(answer.status).toBe(401)
  expect(await readText(answer)).not.toContain(canary)
  const metrics = await applogs.getText("/metrics")
  const commandLine = readFileSync(join("/proc", `${applogs.pid}`, "cmdline"), "utf8")
  for (const said of [applogs.log(), metrics, commandLine]) {
    expect(said).not.toContain(canary)
    expect(said).not.toContain(applogs.key)
  }
})
