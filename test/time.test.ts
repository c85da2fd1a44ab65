import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import {
  now,
  parseDuration,
  parseRfc3339,
  parseUnixSeconds,
  shift,
  toInstant,
  toNanoseconds,
  toUnixSeconds,
} from "../src/time.ts"

const SECOND = 1_000_000_000n
const LAST = 253_402_300_799_999_999_999n

const instants = fc.oneof(
  fc.bigInt({ min: 0n, max: LAST }),
  // Close to each other, and to whole seconds.
  fc.bigInt({ min: 0n, max: 5n }).map((ns) => 1_787_000_000n * SECOND + ns - 2n),
  fc.constantFrom(0n, 1n, SECOND - 1n, SECOND, LAST - 1n, LAST),
)

describe("an instant", () => {
  test("keeps every nanosecond from 1970 to 9999", () => {
    fc.assert(
      fc.property(instants, (ns) => {
        const instant = toInstant(ns)
        expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
        expect(toNanoseconds(instant)).toBe(ns)
        expect(parseRfc3339(instant)).toBe(instant)
        expect(parseUnixSeconds(toUnixSeconds(instant))).toBe(instant)
      }),
      { numRuns: 2_000 },
    )
    expect(String(toInstant(0n))).toBe("1970-01-01T00:00:00.000000000Z")
    expect(String(toInstant(LAST))).toBe("9999-12-31T23:59:59.999999999Z")
  })

  test("is earlier as text when it is earlier", () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        expect(toInstant(a) < toInstant(b)).toBe(a < b)
        expect(toInstant(a) === toInstant(b)).toBe(a === b)
      }),
      { numRuns: 2_000 },
    )
  })

  test("stays within what its text can say", () => {
    fc.assert(
      fc.property(instants, fc.bigInt({ min: -2n * LAST, max: 2n * LAST }), (ns, by) => {
        const sum = ns + by
        const clamped = sum < 0n ? 0n : sum > LAST ? LAST : sum
        expect(toNanoseconds(shift(toInstant(ns), by))).toBe(clamped)
      }),
    )
    expect(toInstant(-1n)).toBe(toInstant(0n))
    expect(toInstant(10n ** 30n)).toBe(toInstant(LAST))
  })

  test("of now is the wall clock's", () => {
    const before = Date.now()
    const ms = Number(toNanoseconds(now()) / 1_000_000n)
    expect(ms).toBeGreaterThanOrEqual(before)
    expect(ms).toBeLessThanOrEqual(Date.now())
  })
})

describe("RFC 3339", () => {
  test("is read with any zone, to the nanosecond", () => {
    for (const [written, read] of [
      ["2026-08-20T12:34:56Z", "2026-08-20T12:34:56.000000000Z"],
      ["2026-08-20t12:34:56.1z", "2026-08-20T12:34:56.100000000Z"],
      ["2026-08-20 12:34:56.123456789Z", "2026-08-20T12:34:56.123456789Z"],
      ["2026-08-20T00:15:00+05:45", "2026-08-19T18:30:00.000000000Z"],
      ["2026-12-31T23:59:59.999999999-23:59", "2027-01-01T23:58:59.999999999Z"],
      ["1970-01-01T00:00:00-00:00", "1970-01-01T00:00:00.000000000Z"],
      ["1969-12-31T23:00:00-01:00", "1970-01-01T00:00:00.000000000Z"],
      ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    ] as const) {
      expect(String(parseRfc3339(written))).toBe(read)
    }
  })

  test("says the same in every zone", () => {
    const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
    const days = fc.bigInt({ min: 86_400n * SECOND, max: LAST - 86_400n * SECOND })
    fc.assert(
      fc.property(days, minutes, (ns, offset) => {
        const local = shift(toInstant(ns), BigInt(offset) * 60n * SECOND).slice(0, -1)
        const digits = (value: number) => String(Math.abs(value)).padStart(2, "0")
        const zone = `${digits(Math.trunc(offset / 60))}:${digits(offset % 60)}`
        expect(parseRfc3339(`${local}${offset < 0 ? "-" : "+"}${zone}`)).toBe(toInstant(ns))
      }),
      { numRuns: 1_000 },
    )
  })

  test("knows which days there are", () => {
    for (const day of ["2024-02-29", "2000-02-29", "2026-02-28", "2026-12-31", "2026-04-30"]) {
      expect(String(parseRfc3339(`${day}T12:00:00Z`))).toBe(`${day}T12:00:00.000000000Z`)
    }
    for (const day of [
      "2023-02-29",
      "2100-02-29",
      "2026-02-30",
      "2026-04-31",
      "2026-00-10",
      "2026-13-01",
      "2026-01-00",
      "2026-01-32",
    ]) {
      expect(parseRfc3339(`${day}T12:00:00Z`)).toBeUndefined()
    }
  })

  test("is refused where it is not whole, or not within what an instant can say", () => {
    for (const text of [
      "",
      "2026-08-20",
      "2026-08-20T12:34:56",
      "2026-08-20T12:34Z",
      "2026-08-20T24:00:00Z",
      "2026-08-20T12:60:00Z",
      "2026-08-20T12:34:60Z",
      "2026-08-20T12:34:56.Z",
      "2026-08-20T12:34:56.1234567890Z",
      "2026-08-20T12:34:56,5Z",
      "2026-08-20T12:34:56+24:00",
      "2026-08-20T12:34:56+01:60",
      "2026-08-20T12:34:56+0100",
      "2026-08-20T12:34:56 01:00",
      " 2026-08-20T12:34:56Z",
      "2026-08-20T12:34:56Z\n",
      "+2026-08-20T12:34:56Z",
      "02026-08-20T12:34:56Z",
      "1969-12-31T23:59:59.999999999Z",
      "1970-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59.999999999-00:01",
    ]) {
      expect(parseRfc3339(text)).toBeUndefined()
    }
  })
})

describe("Unix seconds", () => {
  test("have up to nine fraction digits", () => {
    for (const [written, read] of [
      ["0", "1970-01-01T00:00:00.000000000Z"],
      ["1755693296", "2025-08-20T12:34:56.000000000Z"],
      ["1755693296.5", "2025-08-20T12:34:56.500000000Z"],
      ["1755693296.000000001", "2025-08-20T12:34:56.000000001Z"],
      ["253402300799.999999999", "9999-12-31T23:59:59.999999999Z"],
    ] as const) {
      expect(String(parseUnixSeconds(written))).toBe(read)
    }
  })

  test("are refused in any other form", () => {
    for (const text of [
      "",
      "-1",
      "+1",
      "1.",
      ".5",
      "1e9",
      "0x10",
      "1,5",
      "1.1234567890",
      "253402300800",
      "9".repeat(30),
      "1 ",
      "١",
    ]) {
      expect(parseUnixSeconds(text)).toBeUndefined()
    }
  })
})

describe("a duration", () => {
  test("is a sum of units, each perhaps with a fraction", () => {
    for (const [written, ns] of [
      ["0s", 0n],
      ["90s", 90n * SECOND],
      ["10m", 600n * SECOND],
      ["1h30m", 5_400n * SECOND],
      ["1.5h", 5_400n * SECOND],
      ["2d", 172_800n * SECOND],
      ["1w", 604_800n * SECOND],
      ["1w2d3h4m5s6ms", 788_645n * SECOND + 6_000_000n],
      ["0.000000001s", 1n],
      ["1.5ms", 1_500_000n],
      ["30m1h", 5_400n * SECOND],
    ] as const) {
      expect(parseDuration(written)).toBe(ns)
    }
  })

  test("is read exactly, with up to nine fraction digits", () => {
    const units = fc.constantFrom(["s", SECOND], ["m", 60n * SECOND], [
      "h",
      3_600n * SECOND,
    ] as const)
    fc.assert(
      fc.property(fc.nat(99_999), fc.nat(999_999_999), units, (whole, nanos, [unit, scale]) => {
        const text = `${whole}.${String(nanos).padStart(9, "0")}${unit}`
        const expected = (BigInt(whole) * SECOND + BigInt(nanos)) * scale
        expect(parseDuration(text)).toBe(expected / SECOND)
      }),
    )
  })

  test("is refused in any other form", () => {
    for (const text of [
      "",
      "10",
      "s",
      "-5m",
      "+5m",
      "5 m",
      "5M",
      "1y",
      "1.s",
      ".5s",
      "1.1234567890s",
      "1e3s",
      "0x1s",
      "5mm",
      `${"9".repeat(33)}s`,
      "1s".repeat(17),
    ]) {
      expect(parseDuration(text)).toBeUndefined()
    }
  })
})
