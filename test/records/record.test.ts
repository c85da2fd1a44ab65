import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { decodeUtf8, LogReadError, readStamp, unfinishedUtf8 } from "../../src/records/record.ts"
import { toInstant } from "../../src/time.ts"
import { stamp, utf8 } from "./wire.ts"

/** Bytes that are nearly UTF-8: sequences cut short, over-long, out of range, with surrogates. */
const nearlyUtf8 = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 3 }).map(utf8),
      fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.constantFrom("\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"),
      fc.constantFrom("\xef\xbb\xbf", "\xff", "\x80", "\xe2", "\u0000"),
    ),
  )
  .map((list) => list.join(""))

describe("bytes as text", () => {
  test("are what WHATWG says, byte order marks kept", () => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    fc.assert(
      fc.property(nearlyUtf8, (bytes) => {
        expect(decodeUtf8(bytes)).toBe(decoder.decode(Buffer.from(bytes, "latin1")))
      }),
      { numRuns: 5_000 },
    )
  })

  test("end within a character where the rest of one may follow", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, at) => {
        const bytes = utf8(text)
        const head = bytes.slice(0, at % (bytes.length + 1))
        const whole = head.slice(0, head.length - unfinishedUtf8(head))
        expect(decodeUtf8(whole) + decodeUtf8(bytes.slice(whole.length))).toBe(decodeUtf8(bytes))
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(nearlyUtf8, (bytes) => {
        const unfinished = unfinishedUtf8(bytes)
        expect(unfinished).toBeGreaterThanOrEqual(0)
        expect(unfinished).toBeLessThanOrEqual(3)
      }),
    )
  })
})

describe("the time at the head of a record", () => {
  test("is Docker's, to the nanosecond", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 253_402_300_799_999_999_999n }),
        fc.string(),
        (ns, text) => {
          const timestamp = toInstant(ns)
          expect(readStamp(`${timestamp} ${text}`)).toEqual({ timestamp, text: 31 })
        },
      ),
    )
  })

  test("may have any zone and fraction, as Podman's has", () => {
    for (const [written, read] of [
      ["2026-08-20T14:34:56.5+02:00", "2026-08-20T12:34:56.500000000Z"],
      ["2026-08-20T12:34:56Z", "2026-08-20T12:34:56.000000000Z"],
      ["2026-08-20T12:34:56.123456789-09:30", "2026-08-20T22:04:56.123456789Z"],
    ] as const) {
      const { timestamp, text } = readStamp(`${written} hello 12:00`)
      expect(String(timestamp)).toBe(read)
      expect(`${written} hello 12:00`.slice(text)).toBe("hello 12:00")
    }
  })

  test("must be there", () => {
    const time = stamp(0)
    for (const raw of [
      "",
      " ",
      "hello",
      "hello world",
      time,
      `${time}\thello`,
      "2026-08-20 hello",
    ]) {
      expect(() => readStamp(raw)).toThrow(LogReadError)
    }
    expect(() => readStamp(`2026-02-30T12:00:00+02:00 x`)).toThrow(LogReadError)
  })
})
