import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { describe as inWords, formatLogLine } from "../src/logfmt.ts"

describe("formatLogLine", () => {
  test("is one line of keys and values", () => {
    const fields = { runtime: "docker", containers: 3, error: undefined, why: 'a "b"' }
    expect(formatLogLine("T", "info", "runtime up", fields)).toBe(
      'time=T level=info event="runtime up" runtime=docker containers=3 why="a \\"b\\""\n',
    )
  })

  test("has an error with all of its causes, even those that go in a circle", () => {
    const error = new Error("outer", { cause: new Error("inner") })
    expect(inWords(error)).toBe("outer: inner")
    const circle = new Error("again")
    circle.cause = circle
    expect(inWords(circle)).toBe("again")
  })

  test("stays one printable line of bounded length, whatever it is given", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3_000, size: "max" }),
      fc.anything(),
    )
    const property = fc.property(value, (given) => {
      const line = formatLogLine("T", "warn", "event", { given })
      expect(line).toEndWith("\n")
      expect(line.slice(0, -1)).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}/u)
      expect(line.isWellFormed()).toBe(true)
      expect(line.length).toBeLessThan(4_000)
    })
    fc.assert(property, { numRuns: 300, examples: [[{ toString: "" }]] })
  })
})
