/** A block holds what its records say by themselves, whatever stands in the log and wherever it is cut. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { Block, LEAST_RECORDS, type Records, recordsOf } from "../../src/records/block.ts"
import { CRI, JSON_FILE, JSON_FILE_IN_PARTS, type RecordFormat } from "../../src/records/format.ts"
import { FrameBlocks } from "../../src/records/frame-blocks.ts"
import { FrameDecoder } from "../../src/records/frames.ts"
import { type PlainFormat, PlainBlocks } from "../../src/records/plain-blocks.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { CONTROL } from "./blocks.ts"
import { toRfc3339Nano } from "./go-time.ts"
import { decode, frame, stamp, STREAM_BYTES, utf8 } from "./wire.ts"

const NUM_RUNS = 20_000

/** Mostly what most lines are made of. */
const words = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      "GET /",
      " 200",
      "a long word behind another one",
      '{"level":"info"}',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom("\t", "\\", "<&>", "/", "é", "日本", "🚀", "\u2028") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\r", "\0", "\x1b[31m", "\x7f", "\u0085", "\u00a0", "\\u0041"),
  },
)

const texts = fc.array(words, { maxLength: 6 }).map((parts) => utf8(parts.join("")))

/** Bytes that are no UTF-8, among them the head of what a C1 control would be. */
const wild = fc.constantFrom("\xff", "\xc2", "\xe2\x82", "\xed\xa0\x80", "\xc2 ")

const records: fc.Arbitrary<LogRecord[]> = fc
  .array(
    fc.record({
      stream: fc.constantFrom("stdout", "stderr"),
      /** Nanoseconds behind the record before it: clocks that step back are seldom. */
      later: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(0, 1, 10, 100_000, 1_000_000_000) },
        { weight: 1, arbitrary: fc.constant(-1) },
      ),
      text: fc.oneof({ weight: 9, arbitrary: texts }, { weight: 1, arbitrary: wild }),
      ended: fc.oneof(
        { weight: 9, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
    { maxLength: 40 },
  )
  .map((list) => {
    let at = 0
    return list.map(({ later, ...record }) => ({ ...record, timestamp: stamp((at += later)) }))
  })

/** All of some bytes, by blocks where there can be any. */
function readBlocks({ parse, plain }: RecordFormat, text: string): Records[] {
  const bytes = Buffer.from(text, "latin1")
  const blocks = new PlainBlocks(bytes, plain as PlainFormat)
  const all: Records[] = []
  for (let at = 0; at < bytes.length;) {
    const block = blocks.take(at)
    at = blocks.end
    if (block) all.push(block)
    if (at === bytes.length) break
    const feed = bytes.indexOf("\n", at)
    const record = parse(text, at, feed, at)
    if (record) all.push([record])
    at = feed + 1
  }
  return all
}

function readOneByOne({ parse }: RecordFormat, text: string): LogRecord[] {
  return text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => parse(line, 0, line.length, 0) ?? [])
}

/** What a body is in blocks, which is what it is one by one. */
function expectLikeFrames(body: string, cuts: readonly number[] = []): Records[] {
  const read: Records[] = []
  const decoder = new FrameBlocks()
  const push = (bytes: string) => decoder.push(Buffer.from(bytes, "latin1"), read)
  const got = decode({ push, end: () => decoder.end() }, body, cuts)
  const wanted = decode(new FrameDecoder(), body)
  expect(read.flatMap(recordsOf)).toEqual(wanted.records)
  expect(got.error?.message).toBe(wanted.error?.message)
  return read
}

/** How many of these are in blocks. */
function inBlocks(all: readonly Records[]): number {
  return all.reduce((sum, some) => sum + (some instanceof Block ? some.length : 0), 0)
}

function expectPlain(all: readonly Records[]): void {
  for (const block of all) {
    if (!(block instanceof Block)) continue
    let latest = ""
    let count = 0
    const read = block.records()
    expect(read.at(-1)?.ended).toBe(true)
    expect(block.lines).toBe(read.filter(({ ended }) => ended).length)
    for (const [index, { timestamp, text }] of read.entries()) {
      count = timestamp > latest ? 1 : count + 1
      expect(block.count(index)).toBe(count)
      const said = Buffer.from(text, "latin1").toString("utf8")
      expect(said).not.toMatch(CONTROL)
      expect(utf8(said)).toBe(text)
      if (timestamp > latest) latest = timestamp
    }
  }
}

type Write = (record: LogRecord, time: string) => string

const writeJson: Write = ({ stream, text, ended }, time) => {
  // As Go does: what HTML could misread is escaped, and so are two line ends of Unicode; bytes that are no UTF-8 stay here.
  const json = JSON.stringify(text + (ended ? "\n" : "")).replaceAll(/[<>&]/g, (char) => {
    return `\\u00${char.charCodeAt(0).toString(16)}`
  })
  return `{"log":${json},"stream":"${stream}","time":"${time}"}\n`
}

const FORMATS: readonly {
  readonly name: string
  readonly format: RecordFormat
  readonly write: Write
}[] = [
  { name: "a json-file", format: JSON_FILE, write: writeJson },
  { name: "a json-file in parts", format: JSON_FILE_IN_PARTS, write: writeJson },
  {
    name: "a CRI log",
    format: CRI,
    write: ({ stream, text, ended }, time) => `${time} ${stream} ${ended ? "F" : "P"} ${text}\n`,
  },
]

describe("plain records", () => {
  for (const { name, format, write } of FORMATS) {
    test(`of ${name} are the same in blocks as one by one`, () => {
      let [blocks, all] = [0, 0]
      const zones = fc.constantFrom("Z", "+00:00", "+02:00", "-05:30")
      fc.assert(
        fc.property(records, zones, fc.string({ maxLength: 20 }), (list, zone, junk) => {
          const lines = list.map((record) => write(record, toRfc3339Nano(record.timestamp, zone)))
          const text = `${lines.join("")}${utf8(junk).replaceAll("\n", "")}\n${lines.join("")}`
          const read = readBlocks(format, text)
          expect(read.flatMap(recordsOf)).toEqual(readOneByOne(format, text))
          expectPlain(read)
          blocks += inBlocks(read)
          all += 2 * list.length
        }),
        { numRuns: NUM_RUNS / 10 },
      )
      expect(blocks).toBeGreaterThan(all / 4)
    })

    test(`of ${name} that is cut, or has a byte changed, are the same in blocks as one by one`, () => {
      const whole = [0, 1, 2, 3]
        .map(
          (at) =>
            ({
              stream: "stdout",
              timestamp: stamp(at),
              text: `wörd ${at} "x"`,
              ended: true,
            }) as const,
        )
        .map((record) => write({ ...record, text: utf8(record.text) }, record.timestamp))
        .join("")
      for (let at = 0; at < whole.length; at++) {
        for (const char of ["\0", "\n", '"', "\\", " ", "0", "Z", "\xc2", ""]) {
          const text = `${whole.slice(0, at)}${char}${whole.slice(at + 1)}\n`
          const read = readBlocks(format, text)
          expect(read.flatMap(recordsOf)).toEqual(readOneByOne(format, text))
          expectPlain(read)
        }
      }
    })
  }

  test("of frames of which any byte is another one are the same in blocks as one by one", () => {
    const said = Array.from({ length: LEAST_RECORDS + 1 }, (_, at) => `${stamp(at)} wörd ${at}\n`)
    const frames = said.map((text) => frame(1, utf8(text)))
    const whole = frames.join("")
    for (let at = 0; at < frames.slice(0, 2).join("").length; at++) {
      for (const char of "\0\x01\x02\n 0:Z\x7f\xc2\xff".split("")) {
        expectLikeFrames(`${whole.slice(0, at)}${char}${whole.slice(at + 1)}`)
      }
    }
  })

  test("of frames are the same in blocks as one by one, wherever the body is cut", () => {
    let [blocks, all] = [0, 0]
    // Fewer plain ones in a row are no block.
    const run = Array.from({ length: LEAST_RECORDS + 4 }, (_, index) => ({
      stream: "stderr" as const,
      timestamp: stamp(index - 1_000),
      text: "plain",
      ended: true,
    }))
    fc.assert(
      fc.property(
        records.map((list) => [...run, ...list]),
        fc.array(fc.nat(4_000), { maxLength: 5 }),
        fc.nat(20),
        (list, cuts, broken) => {
          const frames = list.map(({ stream, timestamp, text, ended }) =>
            frame(STREAM_BYTES[stream], `${timestamp} ${text}${ended ? "\n" : ""}`),
          )
          if (broken === 0) frames.push("not a frame at all")
          if (broken === 1) frames.push(frame(3, "error grabbing logs"))
          if (broken === 2) frames.push("\x01\0\0")
          const body = frames.join("")
          const read = expectLikeFrames(body, cuts)
          expectPlain(read)
          blocks += inBlocks(read)
          all += list.length
        },
      ),
      { numRuns: NUM_RUNS / 4 },
    )
    expect(blocks).toBeGreaterThan(all / 10)
  })
})
