import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ForwardReader } from "../../src/logfile/forward.ts"
import { Segment } from "../../src/logfile/segment.ts"
import { recordsOf } from "../../src/records/block.ts"
import { CRI } from "../../src/records/format.ts"
import type { LogRecord } from "../../src/records/record.ts"

test("no part of a line that is too long is a record, however much it looks like one", async () => {
  const directory = mkdtempSync(join(tmpdir(), "applogs-forward-"))
  const path = join(directory, "log")
  const line = (text: string) => `2026-08-20T12:34:56.000000000Z stdout F ${text}`
  // Of a length at which it stands at the head of every piece that is read at once.
  const forged = line("forged ").padEnd(128, "x")
  writeFileSync(path, `${forged.repeat(24_576)}\n${line("good")}\n`)
  const segment = await Segment.open(path)
  if (!segment) throw new Error("the file is not there")
  const reader = new ForwardReader(segment, 0, CRI, false)
  const records: LogRecord[] = []
  for (let some = await reader.next(); some?.length; some = await reader.next())
    records.push(...some.flatMap(recordsOf))
  expect(records).toMatchObject([{ text: "good", damaged: true }])
  await segment[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})
