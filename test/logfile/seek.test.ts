import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { type Seek, seekBeginning, seekTail, seekTime } from "../../src/logfile/seek.ts"
import { closeAll, openSegments } from "../../src/logfile/segments.ts"
import { JSON_FILE } from "../../src/records/format.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { type Instant, shift, toInstant } from "../../src/time.ts"
import { toJsonFile } from "./filed.ts"

const RECORDS = 20_000

/** Of a millisecond, where nothing else is said; equal ones, and one longer than what is read at once. */
function recordOf(number: number): LogRecord {
  const timestamp = toInstant(BigInt(Math.floor(number / 3)) * 1_000_000n)
  const text = `${number} ${"x".repeat(number === RECORDS / 2 ? 100_000 : 200)}`
  return { stream: "stdout", timestamp, text, ended: true }
}

describe("a log of 5 MB in four files, one of them compressed and one of them empty", () => {
  const directory = mkdtempSync(join(tmpdir(), "applogs-seek-"))
  const records = Array.from({ length: RECORDS }, (_, number) => recordOf(number))
  const path = join(directory, "log")

  beforeAll(() => {
    const write = (name: string, from: number, to: number) => {
      const text = records.slice(from, to).map(toJsonFile).join("")
      writeFileSync(path + name, name.endsWith(".gz") ? Bun.gzipSync(Buffer.from(text)) : text)
    }
    write(".3.gz", 0, 6_000)
    write(".2", 6_000, 6_001)
    write(".1", 6_001, 6_001)
    write("", 6_001, RECORDS)
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  /** The number of the first record there, and how many files were opened for it. */
  async function find(seek: Seek): Promise<{ first: number; files: number }> {
    const { segments, at } = await openSegments(path, "number", () => seek)
    const files = segments.length
    try {
      for (const [index, segment] of segments.entries()) {
        const text = await segment.read(index === 0 ? at : 0, 200_000)
        const record = text && JSON_FILE.parse(text, 0, text.indexOf("\n"), 0)
        if (record) return { first: Number(record.text.split(" ")[0]), files }
      }
      return { first: RECORDS, files }
    } finally {
      await closeAll(segments)
    }
  }

  test("its files are opened the oldest first", async () => {
    const { segments, at } = await openSegments(path, "number")
    const sizes = await Promise.all(segments.map((segment) => segment.size()))
    const text = (await segments[1]?.read(0, 200_000)) ?? ""
    await closeAll(segments)
    expect(at).toBe(0)
    expect(sizes).toEqual([expect.any(Number), expect.any(Number), 0, expect.any(Number)])
    expect(JSON_FILE.parse(text, 0, text.indexOf("\n"), 0)?.text).toStartWith("6000 ")
    expect(await find(seekBeginning())).toEqual({ first: 0, files: 4 })
  })

  test("no file is opened before the one where to begin", async () => {
    expect((await find(seekTail(0))).files).toBe(1)
    expect((await find(seekTail(RECORDS - 6_001))).files).toBe(1)
    expect((await find(seekTail(RECORDS - 6_000))).files).toBe(3)
    const { timestamp } = recordOf(7_000)
    expect((await find(seekTime(timestamp, async () => JSON_FILE))).files).toBe(1)
    const atBorder = recordOf(6_001).timestamp
    expect((await find(seekTime(atBorder, async () => JSON_FILE))).files).toBe(4)
  })

  test("the last records are found, however many", async () => {
    const counts = fc.oneof(
      fc.nat(RECORDS + 10),
      fc.nat(20),
      fc.integer({ min: 13_990, max: 14_010 }),
    )
    const property = fc.asyncProperty(counts, async (count) => {
      const { first } = await find(seekTail(count))
      expect(first).toBe(Math.max(0, RECORDS - count))
    })
    await fc.assert(property, { numRuns: 200 })
  })

  test("a time is found, or a little before it", async () => {
    const times = fc
      .tuple(fc.nat(RECORDS + 100), fc.integer({ min: -1, max: 1 }))
      .map(([number, ns]): Instant => shift(recordOf(number).timestamp, BigInt(ns)))
    const property = fc.asyncProperty(times, async (time) => {
      const { first } = await find(seekTime(time, async () => JSON_FILE))
      const due = records.findIndex(({ timestamp }) => timestamp >= time)
      const most = due < 0 ? RECORDS : due
      expect(first).toBeLessThanOrEqual(most)
      // A block is 1 MiB, and a record here is 260 bytes.
      expect(most - first).toBeLessThan(1_048_576 / 200)
    })
    await fc.assert(property, { numRuns: 200 })
  })
})
