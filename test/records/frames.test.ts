import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { FrameDecoder } from "../../src/records/frames.ts"
import { LogReadError, type LogRecord } from "../../src/records/record.ts"
import type { StreamName } from "../../src/runtime.ts"
import { decode, frame, stamp, STREAM_BYTES, utf8 } from "./wire.ts"

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map(utf8),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  fc.constantFrom("", "\r", "\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0004", `${stamp(1)} `),
)

const payloads = fc.array(
  fc.record({
    stream: fc.constantFrom<StreamName>("stdout", "stderr"),
    at: fc.nat(3),
    text: texts.map((text) => text.replaceAll("\n", "")),
    ended: fc.boolean(),
  }),
  { maxLength: 12 },
)

function toText({ timestamp, text, ended }: LogRecord): string {
  return `${timestamp} ${text}${ended ? "\n" : ""}`
}

function bodyOf(expected: readonly LogRecord[]): string {
  return expected.map((record) => frame(STREAM_BYTES[record.stream], toText(record))).join("")
}

const recordLists = payloads.map((list) =>
  list.map(({ stream, at, text, ended }): LogRecord => {
    const timestamp = stamp(at)
    return { stream, timestamp, text, ended }
  }),
)

describe("the frames of a log", () => {
  test("give the same records wherever they are cut", () => {
    fc.assert(
      fc.property(recordLists, fc.array(fc.nat(600), { maxLength: 20 }), (expected, cuts) => {
        const body = bodyOf(expected)
        expect(decode(new FrameDecoder(), body, cuts)).toEqual({ records: expected })
      }),
      { numRuns: 3_000 },
    )
  })

  test("give the same records when every byte comes by itself", () => {
    fc.assert(
      fc.property(recordLists, (expected) => {
        const body = bodyOf(expected)
        const bytes = Array.from({ length: body.length }, (_, at) => at)
        expect(decode(new FrameDecoder(), body, bytes)).toEqual({ records: expected })
      }),
    )
  })

  test("are read as soon as they are whole", () => {
    const records: LogRecord[] = []
    const decoder = new FrameDecoder()
    const body = frame(1, `${stamp(1)} one\n`) + frame(2, `${stamp(2)} two\n`)
    const first = 8 + 31 + 4
    for (let at = 0; at < body.length; at++) {
      decoder.push(body.charAt(at), records)
      expect(records).toHaveLength(at + 1 < first ? 0 : at + 1 < body.length ? 1 : 2)
    }
  })

  // The frames of moby's own test of stdcopy, with the times that a log has.
  test("may be many of both streams, and as long as an engine makes them", () => {
    const out = `${stamp(1)} ${"This is the stdout message\n".replaceAll("\n", "")}\n`
    const err = `${stamp(2)} This is the stderr message\n`
    const long = `${stamp(3)} ${"_".repeat(16_384)}`
    const body = (frame(1, out) + frame(2, err)).repeat(1_000) + frame(0, out) + frame(1, long)
    const { records, error } = decode(new FrameDecoder(), body, [32 * 1024, 64 * 1024])
    expect(error).toBeUndefined()
    expect(records).toHaveLength(2_002)
    expect(records[1]).toEqual({
      stream: "stderr",
      timestamp: stamp(2),
      text: "This is the stderr message",
      ended: true,
    })
    // Type 0 is standard input, which an engine never sends; it counts as output.
    expect(records[2_000]?.stream).toBe("stdout")
    expect(records[2_001]).toMatchObject({ text: "_".repeat(16_384), ended: false })
  })

  test("say where a line feed is missing, and leave one that stands within a record", () => {
    const { records } = decode(new FrameDecoder(), frame(1, `${stamp(1)} a\nb`))
    expect(records).toMatchObject([{ text: "a\nb", ended: false }])
  })

  test("keep the records before an error of the engine, which is typed and says what it said", () => {
    fc.assert(
      fc.property(recordLists, recordLists, fc.array(fc.nat(600)), (before, after, cuts) => {
        const said = frame(3, "Error grabbing logs: invalid character '\\x00'\n")
        const body = bodyOf(before) + said + bodyOf(after)
        const { records, error } = decode(new FrameDecoder(), body, cuts)
        expect(records).toEqual(before)
        expect(error).toBeInstanceOf(LogReadError)
        expect(error?.message).toBe("Error grabbing logs: invalid character '\\x00'")
      }),
    )
  })

  test("keep the records before a body that is cut off, and say that it was", () => {
    const body = frame(1, `${stamp(1)} one\n`) + frame(1, `${stamp(2)} two\n`)
    for (let length = 1; length < body.length; length++) {
      const { records, error } = decode(new FrameDecoder(), body.slice(0, length))
      const isWhole = length === body.length / 2
      expect(error?.message).toBe(isWhole ? undefined : "the log ended inside a frame")
      expect(records).toHaveLength(length < body.length / 2 ? 0 : 1)
    }
  })

  for (const [name, header] of [
    ["a length that no engine sends", frame(1, "", 0xffff_ffff)],
    ["a length over a mebibyte", frame(1, "", 1_048_577)],
    ["an unknown type", frame(4, "x")],
    ["padding that is not zero", `\u0001\u0000\u0001\u0000\u0000\u0000\u0000\u0001x`],
    ["text where a header belongs", `${stamp(1)} a log without frames\n`],
  ] as const) {
    test(`are refused at once with ${name}`, () => {
      const good = frame(2, `${stamp(1)} good\n`)
      const records: LogRecord[] = []
      expect(() => new FrameDecoder().push(good + header, records)).toThrow(LogReadError)
      expect(records).toHaveLength(1)
    })
  }

  test("are refused without a time", () => {
    const { records, error } = decode(new FrameDecoder(), frame(1, "no time here\n"))
    expect(error?.message).toBe("a log record does not begin with a time")
    expect(records).toEqual([])
  })

  test("may be anything at all: it is records, or one typed error", () => {
    const headers = fc
      .tuple(fc.nat(4), fc.constantFrom(0, 0, 0, 1), fc.nat(0xffff_ffff), fc.nat(30))
      .map(([type, padding, length, real]) => {
        const said = padding === 0 ? real : length
        return frame(type, `${stamp(1)} x`.slice(0, real), said)
      })
    const junk = fc.array(fc.oneof(headers, texts), { maxLength: 10 }).map((all) => all.join(""))
    fc.assert(
      fc.property(junk, fc.array(fc.nat(300), { maxLength: 10 }), (body, cuts) => {
        const { records, error } = decode(new FrameDecoder(), body, cuts)
        if (error) expect(error).toBeInstanceOf(LogReadError)
        const held = records.reduce((sum, { text }) => sum + text.length, 0)
        expect(held).toBeLessThanOrEqual(body.length)
      }),
      { numRuns: 3_000 },
    )
  })

  test("come in any number and any pieces without being read over and over", () => {
    const tiny = frame(1, `${stamp(1)} x\n`).repeat(200_000)
    expect(decode(new FrameDecoder(), tiny).records).toHaveLength(200_000)
    const pieces = Array.from({ length: 100_000 }, (_, at) => at * 10)
    const large = frame(1, `${stamp(1)} ${"x".repeat(1_000_000)}`)
    const { records } = decode(new FrameDecoder(), large, pieces)
    expect(records.map(({ text }) => text.length)).toEqual([1_000_000])
  })
})
