import { describe, expect, test } from "bun:test"
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { untilIt } from "../commands/service.ts"
import { type Command, Shop } from "./shop.ts"

function numbered(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `line ${from + index}`)
}

async function openShop(...lines: string[]): Promise<Shop> {
  const shop = new Shop()
  shop.write("web", ...lines)
  await shop.start()
  return shop
}

function untilPrinted(command: Command, words: string): Promise<void> {
  return untilIt(`printed ${words}, but ${command.err}`, () => command.out.endsWith(`${words}\n`))
}

describe("applogs tail", () => {
  test("begins with the last ten lines, and ends with a code that names the signal", async () => {
    await using shop = await openShop(...numbered(0, 20))
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      const command = shop.spawn(["tail", "shop"])
      await untilPrinted(command, "line 19")
      const out = numbered(10, 20).map((line) => `web | ${line}\n`)
      expect(await command.end(signal)).toEqual({ out: out.join(""), err: "", code })
    }
  })

  test("goes on over the end of the service, sudden or not, and says so", async () => {
    await using shop = await openShop("line 0")
    const command = shop.spawn(["tail", "shop", "--output", "raw"])
    await untilPrinted(command, "line 0")
    for (const [index, signal] of (["SIGTERM", "SIGKILL"] as const).entries()) {
      await shop.stop(signal)
      shop.write("web", ...numbered(2 * index + 1, 2 * index + 3))
      await shop.start()
      await untilPrinted(command, `line ${2 * index + 2}`)
    }
    const { out, err } = await command.end("SIGINT")
    expect(out.trim().split("\n")).toEqual(numbered(0, 5))
    expect(err.trim().split("\n")).toEqual([
      "applogs: connection lost: the service ended it (shutdown); resuming",
      "applogs: resumed",
      expect.stringMatching(/^applogs: connection lost: .*; resuming$/),
      "applogs: resumed",
    ])
  })

  test("waits for an app that is away when the service is back", async () => {
    await using shop = await openShop("line 0")
    const command = shop.spawn(["tail", "shop", "--output", "raw"])
    await untilPrinted(command, "line 0")
    await shop.stop("SIGKILL")
    const [there, away] = [join(shop.folder, "logs/shop"), join(shop.folder, "away")]
    renameSync(there, away)
    await shop.start()
    await untilIt("asked", async () => {
      const response = await fetch("http://localhost/metrics", { unix: shop.socket })
      return /status="404"\} [1-9]/.test(await response.text())
    })
    renameSync(away, there)
    shop.write("web", "line 1")
    await untilPrinted(command, "line 1")
    expect((await command.end("SIGINT")).out).toBe("line 0\nline 1\n")
    expect(command.err).toMatch(/^applogs: connection lost: .*; resuming\napplogs: resumed\n$/)
  })

  test("keeps its place in a file that is its own", async () => {
    await using shop = await openShop("line 0")
    const file = join(shop.folder, "cursor")
    const words = ["tail", "shop", "--output", "raw", "--cursor-file", file]
    for (let round = 1; round < 4; round++) {
      const command = shop.spawn(words)
      await untilPrinted(command, `line ${round - 1}`)
      expect(await command.end("SIGTERM")).toEqual({
        out: `line ${round - 1}\n`,
        err: "",
        code: 143,
      })
      expect(readFileSync(file, "utf8")).toMatch(/^v1\.\S+\n$/)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      shop.write("web", `line ${round}`)
    }
  })

  test("does not take another file for it, and says when it cannot write", async () => {
    await using shop = await openShop("line 0")
    const file = join(shop.folder, "notes")
    writeFileSync(file, "buy milk\n")
    const run = (path: string) => shop.run(["tail", "shop", "--cursor-file", path])
    const wrong = "applogs: --cursor-file: the file holds something else than a cursor\n"
    expect(await run(file)).toEqual({ out: "", err: wrong, code: 2 })
    expect(readFileSync(file, "utf8")).toBe("buy milk\n")
    const { err, code } = await run(join(shop.folder, "no/such/place"))
    expect([code, err]).toEqual([1, expect.stringContaining("--cursor-file: it cannot be written")])
  })

  test("starts afresh, and says so, where the cursor is another's", async () => {
    await using shop = await openShop("line 0")
    const file = join(shop.folder, "cursor")
    writeFileSync(file, "nonsense\n")
    const command = shop.spawn(["tail", "shop", "--cursor-file", file])
    await untilPrinted(command, "line 0")
    const { err } = await command.end("SIGINT")
    expect(err).toBe(
      "applogs: gap: lines may be missing or come twice here: the cursor is none of this service's\n",
    )
  })
})

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))

test(`a service that is killed at any moment costs a tail no line, seed ${seed}`, async () => {
  const random = createRandom(seed)
  await using shop = await openShop("line 0")
  const command = shop.spawn(["tail", "shop", "--output", "raw"])
  await untilPrinted(command, "line 0")
  let written = 1
  const writeSome = () => {
    const next = written + 1 + Math.floor(random() * 300)
    shop.write("web", ...numbered(written, next))
    written = next
  }
  for (let round = 0; round < 5; round++) {
    const enough = command.out.length + random() * 20_000
    await untilIt(`printed more, seed ${seed}: ${command.err}`, () => {
      writeSome()
      return command.out.length > enough
    })
    await shop.stop("SIGKILL")
    writeSome()
    await shop.start()
  }
  await untilPrinted(command, `line ${written - 1}`)
  const { out } = await command.end("SIGINT")
  expect(out.trimEnd().split("\n")).toEqual(numbered(0, written))
})

describe("killed at any moment and started again, with its place in a file", () => {
  test.each(["SIGKILL", "SIGTERM"] as const)(`%s, seed ${seed}`, async (signal) => {
    const random = createRandom(seed)
    const total = 3_000
    await using shop = await openShop("line 0")
    const file = join(shop.folder, "cursor")
    const words = ["tail", "shop", "--tail", "all", "--output", "raw", "--cursor-file", file]
    let written = 1
    let printed: string[] = []
    let repeats = 0
    while (printed.at(-1) !== `line ${total - 1}`) {
      const command = shop.spawn(words)
      const last = written === total
      const enough = Math.floor(random() * 200)
      await untilIt(`came to an end, seed ${seed}: ${command.err}`, () => {
        const next = Math.min(total, written + 1 + Math.floor(random() * 40))
        shop.write("web", ...numbered(written, next))
        written = next
        const lines = command.out.split("\n").length
        return last ? command.out.endsWith(`line ${total - 1}\n`) : lines > enough || next === total
      })
      const { out } = await command.end(signal)
      // What was cut off in a line, and its line end, is not there.
      const lines = out.split("\n").slice(0, -1)
      const again = lines.length === 0 ? -1 : printed.lastIndexOf(lines[0] as string)
      const common = again < 0 ? 0 : printed.length - again
      expect(lines.slice(0, common)).toEqual(printed.slice(printed.length - common))
      if (common > 0) repeats++
      printed = [...printed, ...lines.slice(common)]
    }
    expect(printed).toEqual(numbered(0, total))
    if (signal === "SIGTERM") expect(repeats).toBe(0)
  })
})

describe("whoever reads the output", () => {
  test("may leave: it ends as others do then", async () => {
    await using shop = await openShop(...numbered(0, 5))
    const command = shop.pipe(["tail", "shop", "--tail=all", "--output=raw"], "head -1")
    let more = 0
    const done = command.said()
    await untilIt("ended", async () => {
      shop.write("web", `more ${more++}`)
      return (await Promise.race([done, Bun.sleep(20)])) !== undefined
    })
    expect(await done).toEqual({ out: "line 0\n", err: "", code: 141 })
  })

  test("may be slow: little is held for it, and it can be ended", async () => {
    await using shop = await openShop(
      ...numbered(0, 100).map((line) => `${line} ${"x".repeat(1_000)}`),
    )
    for (let round = 0; round < 300; round++) {
      shop.write("web", ...numbered(0, 100).map((line) => `${line} ${"y".repeat(1_000)}`))
    }
    const command = shop.pipe(
      ["logs", "shop", "--tail", "all"],
      "tail --pid=$$ -f /dev/null >/dev/null 2>&1",
    )
    const memory = () =>
      Number(
        /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${command.process.pid}/status`, "utf8"))?.[1],
      )
    let [still, before] = [0, 0]
    await untilIt("came to rest", () => {
      const now = memory()
      still = now === before ? still + 1 : 0
      before = now
      return still > 20
    })
    expect(before).toBeLessThan(150_000)
    expect((await command.end("SIGINT")).code).toBe(130)
  })
})

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(from: number): () => number {
  let state = from || 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}
