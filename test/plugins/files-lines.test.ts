/** A line's time is the same wherever a read of its file begins. */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { linesAt } from "../../plugins/files-lines.ts"
import { ForwardReader } from "../../src/logfile/forward.ts"
import { Segment } from "../../src/logfile/segment.ts"
import { recordsOf } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { SEED } from "../logapi/histories.ts"

const RUNS = 300

/** `far`: more than a time reaches. */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "no time", "    at frame", "2026-08-20 no time") },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom("T12:34:56Z x", " 12:34:56.5+02:00 y")
      .map((rest) => `2026-08-20${rest}`),
  },
  { weight: 1, arbitrary: fc.constant("[2026-08-20T12:34:57Z] z") },
  { weight: 2, arbitrary: fc.constant("2026-08-20T12:34:58.123456789Z stderr P part") },
  {
    weight: 2,
    arbitrary: fc.constant('{"log":"x\\n","stream":"stderr","time":"2026-08-20T12:34:59Z"}'),
  },
  { weight: 1, arbitrary: fc.nat(3).map((more) => "long ".repeat(209_714 + more)) },
)

async function readFrom(segment: Segment, at: number): Promise<LogRecord[]> {
  const reader = new ForwardReader(segment, at, await linesAt(segment, at), false)
  const records: LogRecord[] = []
  for (let some = await reader.next(); some?.length; some = await reader.next()) {
    records.push(...some.flatMap(recordsOf))
  }
  return records
}

test("however long lines are, and whatever format the first one has", async () => {
  const directory = mkdtempSync(join(tmpdir(), "applogs-lines-"))
  const path = join(directory, "web.log")
  let compared = 0
  const property = fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
    writeFileSync(path, lines.map((each) => `${each}\n`).join(""))
    await using segment = await Segment.open(path)
    if (!segment) throw new Error("the file is not there")
    const all = await readFrom(segment, 0)
    let at = 0
    for (const each of lines) {
      const rest = await readFrom(segment, at)
      // What stands behind a line that is too long says so only to those who saw that.
      const said = ({ stream, timestamp, text, ended }: LogRecord) => ({
        stream,
        timestamp,
        text,
        ended,
      })
      expect(rest.map(said)).toEqual(all.slice(all.length - rest.length).map(said))
      compared += rest.length
      at += each.length + 1
    }
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED })
  console.log(`seed ${SEED}, ${RUNS} files, ${compared} lines compared`)
  expect(compared).toBeGreaterThan(RUNS)
  rmSync(directory, { recursive: true })
}, 120_000)
