import { describe, expect, test } from "bun:test"
import { appendFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { plugin } from "../../plugins/files.ts"
import { Failure } from "../../src/errors.ts"
import { type Instant, now, shift } from "../../src/time.ts"
import type { Container } from "../../src/runtime.ts"
import { UsageError } from "../../src/usage.ts"
import { until } from "../real/sandbox.ts"
import { runtimeOptions } from "../runtime-options.ts"
import { FilesRoot } from "./files-root.ts"

const T = (seconds: number) => `2026-08-20T12:34:${String(seconds).padStart(2, "0")}`
const nine = (seconds: number) => `${T(seconds)}.000000000Z` as Instant

describe("without a root", () => {
  test("the option is named", () => {
    expect(() => plugin.create(runtimeOptions())).toThrow(UsageError)
    expect(() => plugin.create(runtimeOptions())).toThrow("--files-root: ")
  })

  test("that is there, the runtime is unavailable", async () => {
    await using runtime = plugin.create(runtimeOptions({ filesRoot: "/nowhere" }))
    const { signal } = new AbortController()
    // One after the other: a promise that is rejected before anybody waits for it fails the test by itself.
    for (const ask of [() => runtime.ping(signal), () => runtime.list(signal)]) {
      const error: unknown = await ask().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Failure)
      expect((error as Failure).code).toBe("runtime_unavailable")
      expect((error as Failure).message).toContain("--files-root")
    }
  })
})

describe("a log", () => {
  test("is called by its app and its service, and its rotated files are its own", async () => {
    await using root = new FilesRoot()
    root.write("shop/web.log.2.gz", Bun.gzipSync(Buffer.from("one\n")))
    root.write("shop/web.log.1", "two\n")
    root.write("shop/web.log", "three\n")
    root.write("shop/needs-db.log", "")
    root.write("blog/web.1.log", "")
    const list = await root.list()
    const places = list.map(({ labels, state }) => [...Object.values(labels), state].join(" "))
    expect(new Set(places)).toEqual(
      new Set(["blog web.1 running", "shop needs-db running", "shop web running"]),
    )
    expect(await root.messages("shop-web")).toEqual(["one", "two", "three"])
  })

  test("whose file was rotated away, and not made again yet, has exited and keeps its lines", async () => {
    await using root = new FilesRoot()
    root.write("shop/web.log.1", "one\nunfinished")
    expect((await root.container("shop-web")).state).toBe("exited")
    expect(await root.messages("shop-web")).toEqual(["one", "unfinished"])
  })

  test("says how far it can be trusted", async () => {
    await using root = new FilesRoot()
    root.write("a/json.log", `{"log":"x\\n","stream":"stdout","time":"${T(1)}Z"}\n`)
    root.write("a/cri.log", `${T(1)}.123456789+02:00 stderr F x\n`)
    root.write("a/timed.log", `Starting\n${T(1)}Z x\n`)
    root.write("a/plain.log", "x\n")
    root.write("a/empty.log", "")
    const levels = (await root.list()).map(({ name, guarantee }) => [name, guarantee.level])
    expect(Object.fromEntries(levels)).toEqual({
      "a-json": "exact",
      "a-cri": "exact",
      "a-timed": "exact",
      "a-plain": "best-effort",
      "a-empty": "best-effort",
    })
  })

  test("may be written by an engine before its rotation, and by a program behind it", async () => {
    await using root = new FilesRoot()
    root.write("a/web.log.1", `${T(1)}.5Z stderr P of the \n${T(2)}.5Z stderr F engine\n`)
    root.write("a/web.log", `${T(3)}Z of the program\n{"log": "no record"}\n`)
    const lines = (await root.lines("a-web")).map(({ stream, timestamp, message }) => [
      stream,
      timestamp,
      message,
    ])
    expect(lines).toEqual([
      ["stderr", `${T(1)}.500000000Z`, "of the engine"],
      ["stdout", nine(3), `${T(3)}Z of the program`],
      ["stdout", nine(3), '{"log": "no record"}'],
    ])
  })
})

describe("a log that is followed", () => {
  function follow(root: FilesRoot, container: Container) {
    const abort = new AbortController()
    const options = { follow: true, signal: abort.signal }
    const got: string[] = []
    const reading = (async () => {
      for await (const { lines, gap } of root.runtime.read(
        container,
        { from: "beginning" },
        options,
      )) {
        if (gap) got.push(`gap: ${gap.reason}`)
        got.push(...lines.map(({ message }) => message))
      }
    })()
    return {
      got,
      reach: (line: string) => until(() => got.at(-1) === line, { what: line }),
      async [Symbol.asyncDispose]() {
        abort.abort()
        await reading
      },
    }
  }

  test("loses nothing that its program writes to a renamed file before it opens the new one", async () => {
    await using root = new FilesRoot()
    const path = root.write("a/web.log", "one\n")
    await using follower = follow(root, await root.container("a-web"))
    await follower.reach("one")
    renameSync(path, `${path}.1`)
    writeFileSync(path, "")
    appendFileSync(`${path}.1`, "two\n")
    await follower.reach("two")
    appendFileSync(`${path}.1`, "three, unfinished")
    appendFileSync(path, "four\n")
    await follower.reach("four")
    expect(follower.got).toEqual(["one", "two", "three, unfinished", "four"])
  })

  test("goes on behind a gap when it was copied and truncated", async () => {
    await using root = new FilesRoot()
    const path = root.write("a/web.log", "one\ntwo\n")
    await using follower = follow(root, await root.container("a-web"))
    await follower.reach("two")
    writeFileSync(path, "")
    appendFileSync(path, "three\n")
    await follower.reach("three")
    expect(follower.got).toEqual(["one", "two", "gap: rotated", "three"])
  })

  test("is hinted at when it comes, in an app that is new, and when it goes", async () => {
    await using root = new FilesRoot()
    const abort = new AbortController()
    const hints: string[] = []
    let isReady = false
    const watching = (async () => {
      for await (const { change } of root.runtime.watch(() => (isReady = true), abort.signal)) {
        hints.push(change)
      }
    })()
    await until(() => isReady, { what: "watch to be ready" })
    for (const life of ["one", "another"]) {
      root.write("new/web.log", life)
      await until(() => hints.at(-1) === "started", { what: "started" })
      rmSync(join(root.path, "new"), { recursive: true })
      await until(() => hints.at(-1) === "removed", { what: "removed" })
    }
    abort.abort()
    await watching
    expect(hints).toEqual(["created", "started", "removed", "created", "started", "removed"])
  })
})

describe("lines that do not say their times", () => {
  async function untimed() {
    const root = new FilesRoot()
    const path = root.write("a/web.log", "one\ntwo\n")
    return { root, path, container: await root.container("a-web") }
  }

  test("bear times from their file's creation on, in their order", async () => {
    const { root, container } = await untimed()
    await using _ = root
    const [one, two] = await root.lines(container)
    expect(one?.timestamp).toBe(container.createdAt)
    expect(two?.timestamp).toBe(shift(container.createdAt, 4n))
  })

  test("keep their times and places when their file is renamed", async () => {
    const { root, path, container } = await untimed()
    await using _ = root
    const [one, two] = await root.lines(container)
    renameSync(path, `${path}.1`)
    writeFileSync(path, "three\n")
    const rest = await root.lines(container, { from: "position", position: one?.position ?? "" })
    expect(rest.map(({ message }) => message)).toEqual(["two", "three"])
    expect(rest[0]?.timestamp).toBe(two?.timestamp as Instant)
  })

  test("that are asked for from a time on begin at the end, behind a gap if there may be others", async () => {
    const { root, path, container } = await untimed()
    await using _ = root
    utimesSync(path, new Date(), new Date(Date.now() + 3_600_000))
    const after = shift(now(), 1_000_000_000n)
    const [first, ...others] = await root.batches(container, { from: "time", after })
    expect(first).toMatchObject({ lines: [], gap: { reason: "ambiguous", from: after } })
    expect(others).toEqual([])
    appendFileSync(path, "three\n")
    const position = first?.position ?? ""
    expect(await root.messages(container, { from: "position", position })).toEqual(["three"])
    utimesSync(path, new Date(), new Date(0))
    const [quiet] = await root.batches(container, { from: "time", after })
    expect(quiet?.gap).toBeUndefined()
  })

  test("that are asked for behind one of them are those, as they are told by", async () => {
    const { root, container } = await untimed()
    await using _ = root
    const [one, two] = await root.lines(container)
    const later = (after: Instant) => root.messages(container, { from: "time", after })
    expect(await later(shift(container.createdAt, -1n))).toEqual(["one", "two"])
    expect(await later(one?.timestamp as Instant)).toEqual(["two"])
    expect(await later(two?.timestamp as Instant)).toEqual([])
    // By a clock that is finer than the file's, the file may be older than who asked for what comes.
    expect(await later(shift(container.createdAt, 1_000_000n))).toEqual(["one", "two"])
  })

  test("come after a truncation, behind a gap", async () => {
    const { root, path, container } = await untimed()
    await using _ = root
    const position = (await root.lines(container)).at(-1)?.position ?? ""
    writeFileSync(path, "new\n")
    const batches = await root.batches(container, { from: "position", position })
    expect(batches.flatMap(({ gap }) => gap?.reason ?? [])).toEqual(["rotated"])
    expect(batches.flatMap(({ lines }) => lines).map(({ message }) => message)).toEqual(["new"])
  })
})
