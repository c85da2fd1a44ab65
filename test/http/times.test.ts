import { describe, expect, test } from "bun:test"
import { readTime } from "../../src/http/times.ts"
import type { Instant } from "../../src/time.ts"

const now = "2026-08-20T12:00:00.000000000Z" as Instant

/** As it arrives in an address. */
function read(word: string): Instant {
  const text = new URL(`http://localhost/?since=${word}`).searchParams.get("since") ?? ""
  return readTime("since", text, now)
}

describe("a time", () => {
  const good: [word: string, instant: string][] = [
    ["2026-08-20T12:34:56Z", "2026-08-20T12:34:56.000000000Z"],
    ["2026-08-20t12:34:56.123456789z", "2026-08-20T12:34:56.123456789Z"],
    ["2026-08-20T12:34:56.5%2B02:00", "2026-08-20T10:34:56.500000000Z"],
    ["2026-08-20T12:34:56.5+02:00", "2026-08-20T10:34:56.500000000Z"],
    ["2026-08-20T12:34:56-02:30", "2026-08-20T15:04:56.000000000Z"],
    ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000000Z"],
    ["0", "1970-01-01T00:00:00.000000000Z"],
    ["1787229296.123456789", "2026-08-20T12:34:56.123456789Z"],
    ["90s", "2026-08-20T11:58:30.000000000Z"],
    ["1h30m", "2026-08-20T10:30:00.000000000Z"],
    ["2d", "2026-08-18T12:00:00.000000000Z"],
    ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000000000Z"],
  ]
  test.each(good)("%s", (word, instant) => {
    expect<string>(read(word)).toBe(instant)
  })

  test.each([
    "",
    "now",
    "-5m",
    "1e9",
    "1969-12-31T23:59:59Z",
    "10000-01-01T00:00:00Z",
    "99999w",
    "253402300800",
    "1755693296123",
    "1".repeat(30),
    "0x10",
    "-1",
    "1.2.3",
    "1755693296.1234567890",
    "2026-02-30T00:00:00Z",
    "2026-08-20T25:00:00Z",
    "2026-08-20T12:34:56.1234567890Z",
    "2026-08-20T12:34:56%2B24:00",
    "2026-08-20T12:34:56Z%00",
    "2026-08-20T12:34:56Z%0a",
    "10m 5s",
    "PT10M",
    "🕐",
  ])("%p is refused by name", (word) => {
    expect(() => read(word)).toThrow(
      expect.objectContaining({
        code: "invalid_parameter",
        details: expect.objectContaining({ parameter: "since" }),
      }),
    )
  })

  test.each(["2026-08-20T12:34:56", "2026-08-20T12:34:56.123", "2026-08-20", "2026-08-20T12:34"])(
    "%p is refused for want of a zone, and the refusal says so",
    (word) => {
      expect(() => read(word)).toThrow("since has no time zone")
    },
  )
})
