/** A file that is read while it is written: each whole line once and in order, wherever reads and pieces end. */
import { heapStats } from "bun:jsc"
import { afterAll, expect, test } from "bun:test"
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { isLocal } from "../../src/logfile/local.ts"
import { Pieces, RECORD_LIMIT } from "../../src/logfile/pieces.ts"
import { Segment } from "../../src/logfile/segment.ts"

const directory = mkdtempSync(join(tmpdir(), "applogs-pieces-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** As much as is read at once, or handed over, and a little more or less of it. */
const lengths = fc
  .tuple(
    fc.constantFrom(0, 1, 100, 5_000, 16_384, 131_072, RECORD_LIMIT, 3 * RECORD_LIMIT),
    fc.integer({ min: -2, max: 2 }),
  )
  .map(([length, more]) => Math.max(0, length + more))

const writes = fc.array(
  fc.record({
    /** Lines of which the last one may lack its end for now. */
    lines: fc.array(fc.record({ length: lengths, times: fc.constantFrom(1, 1, 3, 40) }), {
      maxLength: 4,
    }),
    ended: fc.boolean(),
    ahead: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
)

const MOST_BYTES = 8_388_608

let count = 0

async function make(bytes: string): Promise<{ path: string; segment: Segment }> {
  const path = join(directory, String(count++))
  writeFileSync(path, bytes)
  const segment = await Segment.open(path)
  if (!segment) throw new Error("the file is not there")
  return { path, segment }
}

test("however it is written, and whether it is read ahead or not", async () => {
  await fc.assert(
    fc.asyncProperty(writes, async (steps) => {
      const { path, segment } = await make("")
      const pieces = new Pieces(segment, 0)
      let written = ""
      let number = 0
      const got: string[] = []
      for (const { lines, ended, ahead } of steps) {
        let text = ""
        for (const { length, times } of lines) {
          for (let time = 0; time < times && text.length < MOST_BYTES; time++) {
            text += `${number++} `.padEnd(length, "x") + "\n"
          }
        }
        if (!ended) text = text.slice(0, -1)
        appendFileSync(path, text)
        written += text
        for (;;) {
          const piece = await pieces.next()
          const said = piece?.lines.toString("latin1") ?? ""
          if (said === "") break
          expect(written.startsWith(said, pieces.at - said.length)).toBe(true)
          expect(said.endsWith("\n")).toBe(true)
          const whole = said.slice(0, -1).split("\n")
          expect(said.length <= 131_072 || whole.length === 1).toBe(true)
          got.push(...(piece?.isCut ? whole.slice(1) : whole))
          if (ahead) pieces.readAhead()
        }
      }
      expect(pieces.end).toBe(written.length)
      const [rest, ...wanted] = written.split("\n").toReversed()
      const isShort = (line: string) => line.length <= RECORD_LIMIT
      expect(got.filter(isShort).map(head)).toEqual(wanted.filter(isShort).toReversed().map(head))
      expect(pieces.isTorn).toBe(rest !== "")
      if (isShort(rest ?? "")) expect(head(pieces.takeRest().toString())).toBe(head(rest ?? ""))
      await pieces.settle()
      await segment[Symbol.asyncDispose]()
      rmSync(path)
    }),
    { numRuns: 200 },
  )
}, 60_000)

/** To compare lines of megabytes. */
function head(line: string): string {
  return `${line.slice(0, 20)} of ${line.length}`
}

test("a file that was truncated, or written anew, is told, also what was read ahead", async () => {
  const line = (text: string) => `${text.padEnd(99, ".")}\n`
  for (const ahead of [false, true]) {
    for (const [left, anew] of [
      [0, ""],
      [0, line("new")],
      [0, line("new").repeat(9_000)],
      [100_000, ""],
    ] as const) {
      const { path, segment } = await make(line("old").repeat(6_000))
      const pieces = new Pieces(segment, 0)
      const first = await pieces.next()
      expect(first?.lines.length).toBeGreaterThan(99)
      truncateSync(path, left)
      if (anew !== "") appendFileSync(path, anew)
      if (ahead) pieces.readAhead()
      for (let reads = 0; ; reads++) {
        const piece = await pieces.next()
        if (!piece) break
        expect(reads).toBeLessThan(9)
        expect(piece.lines.toString()).not.toContain("new")
        expect(piece.lines.length).toBeGreaterThan(0)
      }
      await segment[Symbol.asyncDispose]()
    }
  }
})

test("at the end of a file nothing is kept of what was read", async () => {
  const { segment } = await make(`${"x".repeat(99)}\n`.repeat(40_000))
  const kept = () => {
    Bun.gc(true)
    return heapStats().extraMemorySize
  }
  const before = kept()
  const readers = Array.from({ length: 16 }, () => new Pieces(segment, 0))
  for (const pieces of readers) while ((await pieces.next())?.lines.length) continue
  // Of one reader something may be on the stack.
  expect(kept() - before).toBeLessThan(2 * 1_048_576)
  expect(readers.every(({ end }) => end === 4_000_000)).toBe(true)
  await segment[Symbol.asyncDispose]()
})

test("tmpfs is on this host, and what the kernel makes up is not", async () => {
  const shared = mkdtempSync("/dev/shm/applogs-pieces-")
  writeFileSync(join(shared, "file"), "")
  await using here = await open(join(shared, "file"))
  await using nowhere = await open("/proc/self/status")
  expect([await isLocal(here.fd), await isLocal(nowhere.fd)]).toEqual([true, false])
  rmSync(shared, { recursive: true })
})
