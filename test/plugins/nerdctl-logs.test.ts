import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isLogging, startedAt } from "../../plugins/nerdctl-logger.ts"
import { parsePrinted } from "../../plugins/nerdctl-logs.ts"
import { Turns } from "../../plugins/turns.ts"
import { until } from "../real/sandbox.ts"

const texts = (printed: string) =>
  parsePrinted(printed, "stdout").map(({ timestamp, text, ended }) => [
    timestamp.slice(17),
    text + (ended ? "|" : ""),
  ])

test("what is printed is taken apart into records, and the parts of a line too", () => {
  const at = (second: string) => `2026-08-20T12:00:${second}Z `
  expect(texts("")).toEqual([])
  expect(texts(`${at("01")}one\n${at("02.5")}\n`)).toEqual([
    ["01.000000000Z", "one|"],
    ["02.500000000Z", "|"],
  ])
  expect(texts(`${at("01")}begun, ${at("02")}and ended\n${at("03")}half`)).toEqual([
    ["01.000000000Z", "begun, "],
    ["02.000000000Z", "and ended|"],
    ["03.000000000Z", "half"],
  ])
})

test("times that the container wrote itself are text, and what nerdctl says is none of the log", () => {
  const own = "2026-08-20T12:00:00.9Z at work"
  const warning = 'time="2026-08-20T12:00:09Z" level=warning msg="old"\n'
  expect(texts(`${warning}2026-08-20T12:00:01Z ${own}\nno time at its head\n`)).toEqual([
    ["01.000000000Z", `${own}|`],
  ])
})

test("many who ask at once share an answer, which is never older than the question", async () => {
  let asked = 0
  const turns = new Turns(async () => {
    const number = (asked += 1)
    await Bun.sleep(5)
    return number
  })
  const { signal } = new AbortController()
  const first = turns.take(signal)
  const others = Array.from({ length: 10 }, () => turns.take(signal))
  expect(await first).toBe(1)
  expect(new Set(await Promise.all(others))).toEqual(new Set([2]))
  expect(await turns.take(signal)).toBe(3)
})

test("who does not wait any more is told so, and a failure is everybody's own", async () => {
  const release = Promise.withResolvers<string>()
  const turns = new Turns(() => release.promise)
  const abort = new AbortController()
  const leaving = turns.take(abort.signal)
  const staying = turns.take(new AbortController().signal)
  abort.abort(new Error("left"))
  await expect(leaving).rejects.toThrow("left")
  release.resolve("done")
  expect(await staying).toBe("done")
  let tries = 0
  const failing = new Turns(async () => {
    if ((tries += 1) === 1) throw new Error("first")
    return tries
  })
  const { signal } = new AbortController()
  const [first, second] = await Promise.allSettled([failing.take(signal), failing.take(signal)])
  expect([first.status, second.status]).toEqual(["rejected", "fulfilled"])
})

test.skipIf(Bun.which("flock") === null)(
  "a log is written as long as its lock is held",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "applogs-logger-"))
    const log = join(directory, "log")
    expect(await isLogging(log)).toBeUndefined()
    expect(await startedAt(log)).toBeUndefined()
    const lock = join(directory, "logger-lock")
    writeFileSync(lock, "")
    writeFileSync(join(directory, "lifecycle.json"), '{"started_at":"2026-08-20T14:00:00.5+02:00"}')
    expect(await isLogging(log)).toBe(false)
    expect(await startedAt(log)).toBe("2026-08-20T12:00:00.500000000Z" as never)
    const holder = Bun.spawn(["flock", "--no-fork", lock, "sleep", "1000"])
    await until(async () => (await isLogging(log)) === true, { what: "the lock to be held" })
    holder.kill()
    await holder.exited
    expect(await isLogging(log)).toBe(false)
    rmSync(directory, { recursive: true })
  },
)
