import { afterEach, expect, test } from "bun:test"
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { readLog } from "../../src/logapi/read.ts"
import { fileRecords, LogGone } from "../../src/logfile/source.ts"
import { JSON_FILE } from "../../src/records/format.ts"
import type { Gap, Start } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"
import { openFiles } from "../conformance/open-files.ts"
import { until } from "../real/sandbox.ts"
import { toJsonFile } from "./filed.ts"

const directories: string[] = []

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

/** A log that an engine writes and rotates: numbered lines. */
class Log {
  readonly path: string
  readonly #files: number
  written = 0
  running = true

  constructor(files: number) {
    const directory = mkdtempSync(join(tmpdir(), "applogs-follow-"))
    directories.push(directory)
    this.path = join(directory, "log")
    this.#files = files
    writeFileSync(this.path, "")
  }

  write(count: number): void {
    let text = ""
    for (let left = count; left > 0; left--) {
      const timestamp = toInstant(1_000_000_000_000_000_000n + BigInt(this.written))
      text += toJsonFile({
        stream: this.written % 3 === 0 ? "stderr" : "stdout",
        timestamp,
        text: String(this.written++),
        ended: true,
      })
    }
    // In two pieces: a record may be half there.
    const half = Math.floor(text.length / 2)
    appendFileSync(this.path, text.slice(0, half))
    appendFileSync(this.path, text.slice(half))
  }

  rotate(): void {
    for (let number = this.#files - 1; number > 0; number--) {
      const from = number === 1 ? this.path : `${this.path}.${number - 1}`
      if (existsSync(from)) renameSync(from, `${this.path}.${number}`)
    }
    writeFileSync(this.path, "")
  }
}

/** Follows a log, from its beginning if nothing else is said. */
class Follower {
  readonly numbers: number[] = []
  readonly gaps: Gap[] = []
  readonly #abort = new AbortController()
  readonly done: Promise<void>

  constructor(log: Log, start: Start = { from: "beginning" }) {
    const source = fileRecords({
      path: log.path,
      format: JSON_FILE,
      rotation: "number",
      rules: { partBytes: 16_384, partsShareTime: true, crlf: false, limitBytes: 1_048_576 },
      running: async () => log.running,
    })
    this.done = this.#read(readLog(source, start, { follow: true, signal: this.#abort.signal }))
  }

  async #read(batches: ReturnType<typeof readLog>): Promise<void> {
    for await (const { gap, lines } of batches) {
      if (gap) this.gaps.push(gap)
      for (const { message } of lines) this.numbers.push(Number(message))
    }
  }

  async reach(count: number): Promise<void> {
    await until(() => this.numbers.at(-1) === count - 1, { what: `line ${count - 1}` })
  }

  async leave(): Promise<void> {
    this.#abort.abort()
    await this.done
  }
}

test("every line comes once and in order while the log is rotated, again and again", async () => {
  const log = new Log(100)
  log.write(10)
  const follower = new Follower(log)
  for (let times = 0; times < 300; times++) {
    log.write(times % 50)
    if (times % 4 === 0) log.rotate()
    // Sometimes it keeps up, and sometimes it is some rotations behind.
    if (times % 10 === 0) await follower.reach(log.written)
    else await new Promise((resolve) => setImmediate(resolve))
  }
  await follower.reach(log.written)
  expect(follower.gaps).toEqual([])
  expect(follower.numbers).toEqual(Array.from({ length: log.written }, (_, number) => number))
  await follower.leave()
})

test("a file that was read, or need not be, is not kept open", async () => {
  const log = new Log(100)
  for (let times = 0; times < 20; times++) {
    log.write(10)
    log.rotate()
  }
  log.write(10)
  const last = { from: "last", lines: 25, where: () => true } as const
  const followers = [new Follower(log), new Follower(log, last)]
  for (let times = 0; times < 3; times++) {
    await Promise.all(followers.map((follower) => follower.reach(log.written)))
    const isOneOpenForEach = () => openFiles(dirname(log.path)) === followers.length
    await until(isOneOpenForEach, { what: "one open file for each follower" })
    log.rotate()
    log.write(10)
  }
  await Promise.all(followers.map((follower) => follower.leave()))
  expect(openFiles(dirname(log.path))).toBe(0)
})

test("what was deleted before it was read is a gap, and the rest comes", async () => {
  const log = new Log(2)
  log.write(10)
  const follower = new Follower(log)
  await follower.reach(10)
  // Without a turn of the event loop in between, nobody can have seen these.
  for (let times = 0; times < 4; times++) {
    log.rotate()
    log.write(10)
  }
  await follower.reach(50)
  expect(follower.gaps).toMatchObject([{ reason: "rotated" }])
  expect(follower.numbers.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, number) => number))
  expect(follower.numbers.slice(10)).toEqual(Array.from({ length: 20 }, (_, at) => 30 + at))
  await follower.leave()
})

test("a log that is truncated goes on behind a gap", async () => {
  const log = new Log(1)
  log.write(10)
  const follower = new Follower(log)
  await follower.reach(10)
  truncateSync(log.path)
  log.write(3)
  await follower.reach(13)
  // Longer than before when it is looked at: it is not what followed.
  truncateSync(log.path)
  log.write(50)
  await follower.reach(63)
  expect(follower.gaps).toMatchObject([{ reason: "rotated" }, {}])
  // A read that was under way may find itself in the middle of the new records: that is a gap of another kind.
  const isTorn = follower.gaps[1]?.reason === "runtime_error"
  if (!isTorn) expect(follower.gaps[1]?.reason).toBe("rotated")
  const behind = follower.numbers.slice(isTorn ? 13 : 10)
  const first = isTorn ? 63 - behind.length : 10
  expect(behind).toEqual(Array.from({ length: 63 - first }, (_, at) => first + at))
  expect(behind.length).toBeGreaterThan(40)
  await follower.leave()
})

test("what is no record is a gap, wherever it stands, and every record around it comes", async () => {
  const log = new Log(5)
  log.write(5)
  const follower = new Follower(log)
  await follower.reach(5)
  appendFileSync(log.path, `${"\0".repeat(1_000)}\n{"log":"half of a rec\n`)
  log.write(5)
  await follower.reach(10)
  appendFileSync(log.path, `${"no line feed ".repeat(200_000)}\n`)
  log.write(5)
  await follower.reach(15)
  appendFileSync(log.path, '{"log":"torn by a rota')
  log.rotate()
  log.write(5)
  await follower.reach(20)
  expect(follower.gaps.map(({ reason }) => reason)).toEqual(Array(3).fill("runtime_error"))
  expect(follower.numbers).toEqual(Array.from({ length: 20 }, (_, number) => number))
  await follower.leave()
  const again = new Follower(log)
  await again.reach(20)
  expect(again.gaps).toHaveLength(3)
  expect(again.numbers).toEqual(follower.numbers)
  await again.leave()
})

test("ends behind the last line when the container has stopped", async () => {
  const log = new Log(2)
  log.write(5)
  const follower = new Follower(log)
  await follower.reach(5)
  log.write(5)
  log.running = false
  await follower.done
  expect(follower.numbers).toEqual(Array.from({ length: 10 }, (_, number) => number))
})

test("a log whose directory is gone ends, and one that is no file is said to be none", async () => {
  const gone = new Log(2)
  rmSync(gone.path)
  gone.running = false
  const follower = new Follower(gone)
  await expect(follower.done).rejects.toThrow(LogGone)
  const source = fileRecords({
    path: tmpdir(),
    format: JSON_FILE,
    rotation: "number",
    rules: { partsShareTime: true, crlf: false, limitBytes: 1_000 },
    running: async () => true,
  })
  const reading = source.open({ follow: false }, new AbortController().signal)
  await expect(Array.fromAsync(reading)).rejects.toThrow("is not a file")
})
