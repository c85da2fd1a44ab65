import { afterEach, expect, test } from "bun:test"
import { appendFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { readLog } from "../../src/logapi/read.ts"
import { closeAll, openSegments } from "../../src/logfile/segments.ts"
import { fileRecords } from "../../src/logfile/source.ts"
import { JSON_FILE } from "../../src/records/format.ts"
import type { ReadOptions } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"
import { until } from "../real/sandbox.ts"
import { toJsonFile } from "./filed.ts"

const directories: string[] = []

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

/** A log of numbered lines that is rotated as nerdctl does it: numbers go up, and begin anew with each start. */
class CountedLog {
  readonly path: string
  written = 0
  /** The lines that are still there: an older file makes way for a new one of its number. */
  readonly #files = new Map<string, number[]>([["", []]])
  #number = 0
  #seconds = 1_000_000_000

  constructor() {
    const directory = mkdtempSync(join(tmpdir(), "applogs-rotation-"))
    directories.push(directory)
    this.path = join(directory, "log")
    writeFileSync(this.path, "")
  }

  write(): void {
    const text = String(this.written)
    const timestamp = toInstant(BigInt(this.written))
    appendFileSync(this.path, toJsonFile({ stream: "stdout", timestamp, text, ended: true }))
    this.#files.get("")?.push(this.written)
    this.written += 1
  }

  rotate(): void {
    const name = `.${(this.#number += 1)}`
    renameSync(this.path, this.path + name)
    this.#seconds += 1
    utimesSync(this.path + name, this.#seconds, this.#seconds)
    writeFileSync(this.path, "")
    this.#files.set(name, this.#files.get("") ?? []).set("", [])
  }

  restart(): void {
    this.#number = 0
  }

  get held(): number[] {
    return [...this.#files.values()].flat().toSorted((a, b) => a - b)
  }

  read(options: ReadOptions) {
    const source = fileRecords({
      path: this.path,
      format: JSON_FILE,
      rotation: "time",
      rules: { partsShareTime: false, crlf: false, limitBytes: 1_048_576 },
      running: async () => true,
    })
    return readLog(source, { from: "beginning" }, options)
  }
}

test("files whose numbers go up, and begin anew, are read in the order in which they were written", async () => {
  const steps = fc.array(fc.constantFrom("write", "write", "rotate", "rotate", "restart"), {
    maxLength: 60,
  })
  const property = fc.asyncProperty(steps, async (some) => {
    const log = new CountedLog()
    for (const step of some) log[step]()
    const numbers: number[] = []
    const { signal } = new AbortController()
    for await (const { lines } of log.read({ follow: false, signal })) {
      numbers.push(...lines.map(({ message }) => Number(message)))
    }
    expect(numbers).toEqual(log.held)
  })
  await fc.assert(property, { numRuns: 100 })
})

test("they are followed from one to the next, over starts", async () => {
  const log = new CountedLog()
  const numbers: number[] = []
  const gaps: unknown[] = []
  const abort = new AbortController()
  const reading = (async () => {
    for await (const { lines, gap } of log.read({ follow: true, signal: abort.signal })) {
      numbers.push(...lines.map(({ message }) => Number(message)))
      if (gap) gaps.push(gap)
    }
  })()
  const reached = () => numbers.length >= log.written
  for (let round = 0; round < 12; round += 1) {
    // Never so many that one is lost before it is read.
    for (let file = 0; file < 1 + (round % 3); file += 1) {
      for (let line = 0; line < 5; line += 1) log.write()
      log.rotate()
    }
    log.write()
    await until(reached, { what: `line ${log.written}` })
    if (round % 2 === 1) log.restart()
  }
  abort.abort()
  await reading
  expect(gaps).toEqual([])
  expect(numbers).toEqual(Array.from({ length: log.written }, (_, number) => number))
})

test("while a file is being compressed, only the whole one of the two is read", async () => {
  const log = new CountedLog()
  const path = log.path
  for (const [seconds, name] of [".20260820-120000", ".20260820-130000"].entries()) {
    writeFileSync(path + name, "x".repeat(2 - seconds))
    writeFileSync(`${path}${name}.gz`, "")
    utimesSync(path + name, seconds, seconds)
  }
  writeFileSync(path, "xxx")
  const { segments } = await openSegments(path, "time")
  const sizes = await Promise.all(segments.map((segment) => segment.size()))
  await closeAll(segments)
  expect(sizes).toEqual([2, 1, 3])
})
