/** No byte is left on the disk that applogs works on, and logs to: it goes on serving, and has written nothing there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PrivateRuntime } from "../runtime.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeReal, startRuntime } from "./runtime.ts"
import { countLines, Shop } from "./shop.ts"
import { readSnapshot } from "./snapshot.ts"

const SIZE = 1024 * 1024
const ROUNDS = count({ full: 20, short: 3 })

const disk = mountDisk()
const title = "applogs on a full disk"

describe.skipIf(disk === undefined)(disk ? title : `${title} [nothing can be mounted here]`, () => {
  afterAll(() => {
    if (!disk) return
    Bun.spawnSync(["umount", disk])
    rmdirSync(disk)
  })

  describeReal("and an app that writes 1,000 lines/s", () => {
    let real: PrivateRuntime
    let applogs: Applogs
    const directory = join(disk ?? "", "work")
    beforeAll(async () => {
      real = await startRuntime()
      mkdirSync(directory)
      applogs = await startApplogs(real, { directory, under: ["env", `TMPDIR=${directory}`] })
    })
    afterAll(async () => {
      await applogs?.[Symbol.asyncDispose]()
      await real?.[Symbol.asyncDispose]()
    })

    test(`${ROUNDS} streams cut and resumed, and snapshots, while a container and applogs restart`, async () => {
      const shop = new Shop(real, "full")
      await shop.open({ load: 0.2 })
      fill(join(directory, "filler"))
      const before = sizes(directory)
      const follower = new Follower(applogs, shop.name, "includeNeeds=true&tail=all")
      for (let round = 1; round <= ROUNDS; round++) {
        await follower.connect()
        await follower.readUntil(() => follower.lines.length >= 1_000 * round, "1000 lines")
        const restarted = real.restartContainer(shop.id("web"))
        const last = () => follower.lines.at(-1)?.message.startsWith(`full-web.${round + 1} `)
        await follower.readUntil(() => last() === true, "the container's next run")
        await restarted
        const query = "tail=1000&includeNeeds=true"
        const { lines } = await readSnapshot(applogs, shop.name, { query, format: "ndjson" })
        expect(lines.length).toBe(1_000)
        expect(sizes(directory)).toEqual(before)
        if (round % 2 === 0) continue
        expect(await applogs.end("SIGTERM")).toBe(0)
        await applogs.start()
      }
      await follower.connect()
      const truth = await shop.close()
      const total = countLines(truth)
      await follower.readUntil(() => follower.lines.length >= total, `all ${total} lines`)
      follower.cut()
      const ledger = new Ledger()
      ledger.checkWhole("full disk", follower.lines, truth)
      console.log(`${ROUNDS} rounds on a full disk: ${ledger.report}`)
      expect(ledger.faults).toEqual([])
      expect(follower.gaps).toEqual([])
    })
  })
})

/** A file system in memory, of this size. */
function mountDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "applogs-disk-"))
  const command = ["mount", "-t", "tmpfs", "-o", `size=${SIZE}`, "none", path]
  if (process.getuid?.() === 0 && Bun.spawnSync(command).exitCode === 0) return path
  rmdirSync(path)
  return undefined
}

/** Writes until nothing can be written any more. */
function fill(path: string): void {
  for (let piece = 4_096; piece > 0; piece = Math.trunc(piece / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(piece), { flag: "a" })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
    }
  }
}

/** Of every file, by name. The log may fill the page that it has. */
function sizes(directory: string): Record<string, number> {
  const names = readdirSync(directory).filter((name) => name !== "log")
  return Object.fromEntries(names.map((name) => [name, statSync(join(directory, name)).size]))
}
