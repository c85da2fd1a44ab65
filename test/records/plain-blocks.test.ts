/** What is taken into a block, and what is not. */
import { isUtf8 } from "node:buffer"
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { parseJsonFile } from "../../src/records/json-file.ts"
import { PlainBlocks } from "../../src/records/plain-blocks.ts"
import { parseRfc3339 } from "../../src/time.ts"
import { CONTROL } from "./blocks.ts"
import { toRfc3339Nano } from "./go-time.ts"
import { instants } from "./instants.ts"

const TIME = "2026-08-17T20:53:20.123456789Z"

/** Of bytes as texts of records, those that are taken. */
function taken(texts: readonly Buffer[]): boolean[] {
  const heads = [Buffer.from(`${TIME} stdout F `), Buffer.from("\n")] as const
  return texts.map((text) => {
    const record = Buffer.concat([heads[0], text, heads[1]])
    const blocks = new PlainBlocks(record, "cri")
    return blocks.take(0)?.length === 1 && blocks.end === record.length
  })
}

function expectPlain(texts: readonly Buffer[]): void {
  const wanted = texts.map((text) => isUtf8(text) && !CONTROL.test(text.toString("utf8")))
  const got = taken(texts)
  const wrong = texts.filter((_, index) => got[index] !== wanted[index])
  expect(wrong.map((text) => text.toString("hex"))).toEqual([])
  expect(wanted).toContain(true)
  expect(wanted).toContain(false)
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte)

/** Where the rules for what may follow a byte begin and end. */
const EDGES = [0x0a, 0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xff]

describe("a text is plain", () => {
  test("if it is UTF-8, and has no control character but tab: each byte, and each two", () => {
    expectPlain(BYTES.map((byte) => Buffer.from([byte])))
    expectPlain(BYTES.flatMap((one) => BYTES.map((two) => Buffer.from([one, two, 0x61]))))
  })

  test("likewise three bytes and four", () => {
    const pairs = BYTES.slice(0xc0).flatMap((one) => EDGES.map((two) => [one, two]))
    const triples = pairs.flatMap((pair) => EDGES.map((three) => [...pair, three]))
    expectPlain(triples.map((bytes) => Buffer.from(bytes)))
    expectPlain(
      triples.flatMap((bytes) => EDGES.map((four) => Buffer.from([...bytes, four, 0x61]))),
    )
  })

  test("wherever in it something stands", () => {
    for (const odd of [Buffer.from("é"), Buffer.from("\x7f"), Buffer.from([0xff])]) {
      const texts = Array.from({ length: 40 }, (_, at) =>
        Buffer.concat([Buffer.alloc(at, "a"), odd, Buffer.alloc(39 - at, "b")]),
      )
      const isPlain = isUtf8(odd) && odd.length > 1
      expect(taken(texts)).toEqual(texts.map(() => isPlain))
    }
  })
})

test("an escape in a json-file is plain if it stands for what is, and is what it stands for", () => {
  const codes = "0009 000a 001f 0020 0041 007e 007f 0080 00e9 0141 003C 003g 00g0 20".split(" ")
  const escapes = ['"', "\\", "/", "b", "f", "n", "r", "t", "x", ...codes.map((code) => `u${code}`)]
  for (const escape of escapes) {
    const record = `{"log":"a\\${escape}b\\n","stream":"stdout","time":"${TIME}"}\n`
    const one = parseJsonFile(record, 0, record.length - 1)
    const block = new PlainBlocks(Buffer.from(record), "json-file").take(0)
    const isPlain = one?.ended === true && !CONTROL.test(one.text) && !/[^\0-\x7f]/.test(one.text)
    expect([escape, block?.records()]).toEqual([escape, isPlain ? [one] : undefined])
  }
})

describe("a time is taken", () => {
  test.each([
    ["2026-08-17T20:53:20Z", "2026-08-17T20:53:20.000000000Z"],
    ["2026-08-17T20:53:20.5Z", "2026-08-17T20:53:20.500000000Z"],
    ["2026-08-17T23:30:00.000000001+02:00", "2026-08-17T21:30:00.000000001Z"],
    ["2026-12-31T23:30:00.25-05:30", "2027-01-01T05:00:00.250000000Z"],
  ])("in UTC, with nine digits: %s", (written, said) => {
    const record = `${written} stdout F text\n`
    const block = new PlainBlocks(Buffer.from(record.repeat(3)), "cri").take(0)
    expect(block?.records().map(({ timestamp }) => timestamp)).toEqual(Array(3).fill(said))
  })

  test.each([
    "2026-02-30T00:00:00Z",
    "2026-08-17T20:53:20",
    "2026-08-17T20:53:20.Z",
    "2026-08-17T20:53:20.1234567890Z",
    "2026-08-17T20:53:20+25:00",
    "1969-12-31T23:59:59Z",
    "2026-08-17 20:53:20Z",
    "2026-08-17T24:00:00Z",
    "2026-08-17T20:53:60Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-08-00T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-08-17T20:53:20+02:60",
    "2026-08-17T20:53:20 02:00",
    "2026-08-17T20:53:20+0x:00",
    "2026-08-17T20:53:20+02000",
    "1970-01-01T01:00:00+02:00",
    "9999-12-31T23:00:00-02:00",
    "2026-08-1:T20:53:20Z",
    "\0".repeat(20),
  ])("if it is one: not %j, behind another of its second, or before", (written) => {
    const one = `${TIME} stdout F text\n`
    const other = `${written} stdout F text\n`
    const endOf = (text: string) => {
      const blocks = new PlainBlocks(Buffer.from(text), "cri")
      blocks.take(0)
      return blocks.end
    }
    expect([endOf(other + one), endOf(one + other)]).toEqual([0, one.length])
  })

  test("of whatever zone its second was before", () => {
    const times = ["T10:00:00Z", "T10:00:00+02:00", "T10:00:00-00:30", "T10:00:00Z"]
    const lines = times.map((time) => `2026-08-17${time} stdout F text\n`)
    const block = new PlainBlocks(Buffer.from(lines.join("")), "cri").take(0)
    const said = block?.records().map(({ timestamp }) => timestamp.slice(11, 16))
    expect(said).toEqual(["10:00", "08:00", "10:30", "10:00"])
  })

  test("as RFC 3339 has it, of any year and zone, with any character changed", () => {
    const zones = fc.constantFrom("Z", "+00:00", "+14:00", "-23:59", "+05:30")
    const chars = fc.constantFrom(...Array.from("0123456789-:.TZ+ "), undefined)
    let count = 0
    fc.assert(
      fc.property(instants, zones, fc.nat(34), chars, (instant, zone, at, char) => {
        const time = toRfc3339Nano(instant, zone)
        const text = char === undefined ? time : `${time.slice(0, at)}${char}${time.slice(at + 1)}`
        const block = new PlainBlocks(Buffer.from(`${text} stdout F text\n`), "cri").take(0)
        const said = parseRfc3339(text)
        if (block) expect(`${text} is ${block.record(0).timestamp}`).toBe(`${text} is ${said}`)
        // A time in 1969 by its own clock is left to the parser.
        else expect([text, char === undefined || text === time]).toEqual([text, false])
        if (block) count++
      }),
      { numRuns: 20_000 },
    )
    expect(count).toBeGreaterThan(5_000)
  })

  test("by the line, however much the second changes", () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => {
      const time = new Date(1_700_000_000_000 + at * 777).toISOString()
      return `${time} stderr F ${at}\n`
    })
    const block = new PlainBlocks(Buffer.from(lines.join("")), "cri").take(0)
    const said = block?.records().map(({ stream, timestamp, text }) => {
      return `${timestamp.slice(0, 23)}Z ${stream} F ${text}\n`
    })
    expect(said).toEqual(lines)
  })
})

describe("a record without its line end", () => {
  const part = (fraction: string, stream: string, flag: string) =>
    `2026-08-17T20:53:20.${fraction}Z ${stream} ${flag} text\n`
  const takeOf = (records: readonly string[]) => {
    const block = new PlainBlocks(Buffer.from(records.join("")), "cri").take(0)
    return block && [block.length, block.lines]
  }

  test("is a part of the line that ends in the same hundredth of a second, on the same stream", () => {
    const begin = part("120000000", "stdout", "P")
    const end = part("129999999", "stdout", "F")
    expect(takeOf([begin, end])).toEqual([2, 1])
    expect(takeOf([end, begin, begin, end, begin])).toEqual([4, 2])
    expect(takeOf([begin, part("130000000", "stdout", "F")])).toBeUndefined()
    expect(takeOf([begin, part("119999999", "stdout", "F")])).toBeUndefined()
    expect(takeOf([begin, part("120000000", "stderr", "F")])).toBeUndefined()
    expect(takeOf([begin])).toBeUndefined()
  })

  test("is left alone where it may be a line that its writer left unfinished", () => {
    const record = (text: string) => `{"log":"${text}","stream":"stdout","time":"${TIME}"}\n`
    const records = Buffer.from(record("a") + record("b\\n"))
    expect(new PlainBlocks(records, "json-file").take(0)).toBeUndefined()
    expect(new PlainBlocks(records, "json-file in parts").take(0)?.lines).toBe(1)
  })
})

test("megabytes are taken at once, and blocks that were made before stay as they are", () => {
  const line = `${TIME} stdout F ${"x".repeat(100)}\n`
  const small = new PlainBlocks(Buffer.from(line), "cri").take(0)
  const large = new PlainBlocks(Buffer.from(line.repeat(30_000)), "cri").take(0)
  expect(large?.length).toBe(30_000)
  expect(large?.record(29_999).text).toBe("x".repeat(100))
  expect(small?.record(0).text).toBe("x".repeat(100))
})
