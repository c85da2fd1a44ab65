/** Whatever stands below the root of the files plugin, it leads nobody out, stops nothing, and harms no other app. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { Failure } from "../../src/errors.ts"
import { now } from "../../src/time.ts"
import { until } from "../real/sandbox.ts"
import { FilesRoot } from "./files-root.ts"

let root: FilesRoot
beforeEach(() => {
  root = new FilesRoot()
})
afterEach(() => root[Symbol.asyncDispose]())

const names = async () => (await root.list()).map(({ name }) => name).toSorted()

function makeFifo(path: string): void {
  const { success } = Bun.spawnSync(["mkfifo", path])
  if (!success) throw new Error("no FIFO can be made")
}

describe("what is no log file is not listed:", () => {
  beforeEach(() => {
    root.write("shop/web.log", "good\n")
    root.write("secret", "secret\n")
  })
  afterEach(async () => {
    expect(await names()).toEqual(["shop-web"])
    expect(await root.messages("shop-web")).toEqual(["good"])
  })

  test("directories, FIFOs, links, and files that stand elsewhere", () => {
    mkdirSync(join(root.path, "shop/directory.log"))
    makeFifo(join(root.path, "shop/fifo.log"))
    symlinkSync(join(root.path, "secret"), join(root.path, "shop/link.log"))
    symlinkSync("/nowhere", join(root.path, "shop/dangling.log"))
    symlinkSync(join(root.path, "shop"), join(root.path, "linked"))
    root.write("top.log", "no app\n")
    root.write("shop/deep/er.log", "too deep\n")
  })

  test("rotated files that are none", () => {
    symlinkSync(join(root.path, "secret"), join(root.path, "shop/web.log.1"))
    mkdirSync(join(root.path, "shop/web.log.2"))
    makeFifo(join(root.path, "shop/web.log.3"))
  })

  test("names that nobody could type, and hidden ones", () => {
    for (const name of ["line\nfeed", "bell\u0007", "\u202eltr", ".hidden", "..", "a\u2028b"]) {
      if (name !== "..") root.write(`${name}/web.log`, "odd\n")
      root.write(`shop/${name}.log`, "odd\n")
    }
    const invalid = Buffer.concat([Buffer.from(`${root.path}/shop/`), Buffer.from([0xff, 0xfe])])
    writeFileSync(Buffer.concat([invalid, Buffer.from(".log")]), "odd\n")
    root.write("shop/.log", "nameless\n")
  })
})

describe("a log that becomes something else once it is listed", () => {
  test("a link out of the root is not followed", async () => {
    const secret = root.write("secret", "secret\n")
    const path = root.write("shop/web.log", "good\n")
    const container = await root.container("shop-web")
    rmSync(path)
    symlinkSync(secret, path)
    for (const start of [{ from: "beginning" }, { from: "time", after: now() }] as const) {
      const reading = root.messages(container, start)
      const error: unknown = await reading.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Failure)
    }
    expect(await names()).toEqual([])
  })

  test("an app's directory that is a link now is not followed", async () => {
    root.write("shop/web.log", "good\n")
    const container = await root.container("shop-web")
    renameSync(join(root.path, "shop"), join(root.path, "moved"))
    symlinkSync(join(root.path, "moved"), join(root.path, "shop"))
    expect(await root.messages(container)).toEqual([])
  })

  test("a FIFO is not waited for", async () => {
    const path = root.write("shop/web.log", "good\n")
    const container = await root.container("shop-web")
    rmSync(path)
    makeFifo(path)
    const error: unknown = await root.messages(container).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Failure)
  })

  test("labels that nobody gave lead nowhere", async () => {
    root.write("shop/web.log", "good\n")
    const container = await root.container("shop-web")
    for (const app of ["..", "../shop", "", "other"]) {
      const labels = { "applogs.app": app, "applogs.service": "web" }
      expect(await root.messages({ ...container, labels })).toEqual([])
    }
    expect(await root.messages({ ...container, labels: {} })).toEqual([])
  })

  test("one that is deleted while it is followed ends, with all that it held", async () => {
    const path = root.write("shop/web.log", "one\ntwo\n")
    const container = await root.container("shop-web")
    const { signal } = new AbortController()
    const got: string[] = []
    for await (const { lines } of root.runtime.read(
      container,
      { from: "beginning" },
      { follow: true, signal },
    )) {
      got.push(...lines.map(({ message }) => message))
      if (got.length === 2) rmSync(path, { force: true })
    }
    expect(got).toEqual(["one", "two"])
  })
})

describe("bytes of any kind", () => {
  test("none at all", async () => {
    root.write("shop/web.log", "")
    expect(await root.messages("shop-web")).toEqual([])
  })

  test("nothing but NULs, and a line behind them", async () => {
    const path = root.write("shop/web.log", new Uint8Array(100_000))
    expect(await root.messages("shop-web")).toEqual([])
    writeFileSync(path, "\nbehind\n", { flag: "a" })
    expect(await root.messages("shop-web")).toEqual(["\0".repeat(100_000), "behind"])
  })

  test("a file that ends within a character goes on with the rest of it", async () => {
    const text = Buffer.from("grün 🙂\n")
    const path = root.write("shop/web.log", "")
    const container = await root.container("shop-web")
    const abort = new AbortController()
    const got: string[] = []
    const options = { follow: true, signal: abort.signal }
    const reading = (async () => {
      for await (const { lines } of root.runtime.read(container, { from: "beginning" }, options)) {
        got.push(...lines.map(({ message }) => message))
      }
    })()
    for (const byte of text) {
      writeFileSync(path, Uint8Array.of(byte), { flag: "a" })
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => got.length > 0, { what: "the line" })
    abort.abort()
    await reading
    expect(got).toEqual(["grün 🙂"])
  })

  test("a line of 1 GB costs no memory, and is a gap", async () => {
    const path = root.write("shop/web.log", "before\n")
    truncateSync(path, 2 ** 30)
    const file = openSync(path, "a")
    writeSync(file, "\nbehind\n")
    closeSync(file)
    const container = await root.container("shop-web")
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before)
    }, 5)
    const batches = await root.batches(container)
    const last = await root.messages(container, { from: "last", lines: 5, where: () => true })
    clearInterval(watching)
    expect(batches.flatMap(({ lines }) => lines).map(({ message }) => message)).toEqual([
      "before",
      "behind",
    ])
    expect(batches.flatMap(({ gap }) => gap?.reason ?? [])).toEqual(["runtime_error"])
    expect(last).toEqual(["before", "behind"])
    expect(most).toBeLessThan(2 ** 29)
  }, 60_000)
})
