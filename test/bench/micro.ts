/** The inner loops alone, without any I/O: what a line costs in each. */
import type { Member } from "../../src/apps/app.ts"
import { encodeNdjsonLine } from "../../src/http/ndjson.ts"
import { encodeSse } from "../../src/http/sse.ts"
import { createTextRow } from "../../src/http/text.ts"
import { BEGINNING } from "../../src/logapi/place.ts"
import { Scan } from "../../src/logapi/scan.ts"
import { FrameDecoder } from "../../src/records/frames.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { Line } from "../../src/runtime.ts"
import { MovingCursor } from "../../src/stream/cursor.ts"
import { toEntries } from "../../src/stream/entry.ts"
import { mergeByTime } from "../../src/stream/merge.ts"
import { lengthOf } from "../../src/stream/some.ts"
import { now, shift } from "../../src/time.ts"
import {
  blocksOfFrames,
  blocksOfJsonFile,
  jsonFile,
  jsonFileToSse,
  jsonFileToText,
  recordsOfJsonFile,
} from "./blocks.ts"
import { median, spread, table, whole } from "./figures.ts"

const LINES = 200_000
const ROUNDS = 7

/** As much as comes from a socket at once. */
const CHUNK = 65_536
const BATCH = 500

const RULES = { partBytes: 16_384, partsShareTime: true, crlf: false, limitBytes: 1_048_576 }

const MEMBER: Member = {
  app: "shop",
  service: "web",
  container: {
    id: "0123456789abcdef".repeat(4),
    name: "shop-web-1",
    labels: {},
    state: "running",
    createdAt: now(),
    guarantee: { level: "exact", source: "api", reason: "" },
  },
}

/** The report, to print. */
export async function measureMicro(): Promise<string> {
  const body = frames(LINES)
  const records = decode(body)
  const lines = scan(records)
  const row = createTextRow([MEMBER.service], "keep")
  const opened = now()
  const bytes = Buffer.from(body, "latin1")
  const file = jsonFile(records)
  const rows = [
    await time("frames → records", () => decode(body).length),
    await time("frames → blocks", () => blocksOfFrames(bytes).length && LINES),
    await time("a json-file → records", () => recordsOfJsonFile(file)),
    await time("a json-file → blocks", () => blocksOfJsonFile(file)),
    await time("records → lines, each with its place", () => scan(records).length),
    await time("merge of 3 containers", () => merge(lines)),
    await time("lines → text", () => {
      return sum(lines, (line) => row({ member: MEMBER, line }).length)
    }),
    await time("a json-file → blocks → text", () => jsonFileToText(file, MEMBER)),
    await time("lines → NDJSON", () => {
      return sum(lines, (line) => encodeNdjsonLine({ member: MEMBER, line }, false).length)
    }),
    await time("lines → SSE, each with its cursor", () => {
      const cursor = new MovingCursor({ opened, positions: new Map() })
      return sum(lines, (line) => {
        cursor.move(MEMBER.container.id, line.position)
        const event = { type: "log", member: MEMBER, line, cursor: cursor.text } as const
        return encodeSse(event, false).length
      })
    }),
    await time("a json-file → blocks → SSE, with cursors", () => jsonFileToSse(file, MEMBER)),
  ]
  return table([["", "lines/s", "ns a line"], ...rows])
}

async function time(name: string, work: () => number | Promise<number>): Promise<string[]> {
  const nanoseconds: number[] = []
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    Bun.gc(true)
    const begun = Bun.nanoseconds()
    const done = await work()
    if (round > 0) nanoseconds.push((Bun.nanoseconds() - begun) / LINES)
    if (done < LINES) throw new Error(`${name}: ${done} of ${LINES}`)
  }
  return [name, whole(1e9 / median(nanoseconds)), spread(nanoseconds, 0)]
}

/** A log body as Docker sends it, one char a byte. */
function frames(count: number): string {
  const first = now()
  let body = ""
  for (let at = 0; at < count; at++) {
    const message = `${String(at).padStart(10, "0")} ${"abcdefg ".repeat(11)}`
    const record = `${shift(first, BigInt(at) * 3_137n)} ${message}\n`
    body += `\x01\0\0\0\0\0\0${String.fromCharCode(record.length)}${record}`
  }
  return Buffer.from(body, "latin1").toString("latin1")
}

function decode(body: string): LogRecord[] {
  const decoder = new FrameDecoder()
  const records: LogRecord[] = []
  for (let at = 0; at < body.length; at += CHUNK) decoder.push(body.slice(at, at + CHUNK), records)
  return records
}

function scan(records: readonly LogRecord[]): Line[] {
  const pass = new Scan({ at: "place", place: BEGINNING, window: false }, RULES, { horizon: now })
  const lines: Line[] = []
  for (const batch of batches(records)) for (const line of pass.push(batch)) lines.push(line)
  return lines
}

async function merge(lines: readonly Line[]): Promise<number> {
  const lanes = [0, 1, 2].map((lane) => lines.filter((_, at) => at % 3 === lane))
  let count = 0
  for await (const entries of mergeByTime(lanes.map(entriesIn))) count += lengthOf(entries)
  return count
}

async function* entriesIn(lines: readonly Line[]) {
  for (const batch of batches(lines)) {
    yield toEntries(MEMBER, { lines: batch, position: batch.at(-1)?.position ?? "" })
  }
}

function* batches<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}

function sum(lines: readonly Line[], size: (line: Line) => number): number {
  let total = 0
  for (const line of lines) total += size(line)
  return total
}
