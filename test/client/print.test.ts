import { describe, expect, test } from "bun:test"
import { Backoff } from "../../src/client/backoff.ts"
import type { LogLine } from "../../src/client/objects.ts"
import { createPrinter, readLook } from "../../src/client/print.ts"
import type { Environment } from "../../src/given.ts"

function lineOf(message: string, service = "web"): LogLine {
  const timestamp = "2026-01-01T00:00:00.000000000Z"
  return { service, stream: "stdout", timestamp, message, isNeeds: false }
}

const PLAIN = { output: "text", times: false, isColored: false, isTerminal: true } as const

describe("colours", () => {
  const isColored = (color: string, isTerminal: boolean, env: Environment = {}) =>
    readLook(
      (name) => (name === "color" ? { source: "--color", text: color } : undefined),
      env,
      isTerminal,
    ).isColored

  test("are for terminals, unless they are not wanted, or are wanted always", () => {
    expect([isColored("auto", true), isColored("auto", false)]).toEqual([true, false])
    expect(isColored("auto", true, { NO_COLOR: "1" })).toBe(false)
    expect(isColored("auto", true, { NO_COLOR: "" })).toBe(true)
    expect(isColored("auto", true, { TERM: "dumb" })).toBe(false)
    expect(isColored("always", false, { NO_COLOR: "1" })).toBe(true)
    expect(isColored("never", true)).toBe(false)
  })

  test("are a service's own, in each run", () => {
    const print = createPrinter({ ...PLAIN, isColored: true }, ["web", "db"])
    expect(print(lineOf("x"))).toBe("\x1b[95mweb |\x1b[0m x\n")
    expect(print(lineOf("x", "db"))).toBe("\x1b[35mdb  |\x1b[0m x\n")
  })

  test("of a message end with it", () => {
    const print = createPrinter({ ...PLAIN, isColored: true })
    expect(print(lineOf("\x1b[31mred"))).toEndWith(" \x1b[31mred\x1b[0m\n")
  })
})

test("a switch is on as a flag, and on or off as a variable", () => {
  const times = (text: string) => {
    const given = { source: "APPLOGS_TIMES", text }
    return readLook((name) => (name === "times" ? given : undefined), {}, false).times
  }
  expect([times("on"), times("off")]).toEqual([true, false])
  expect(() => times("0")).toThrow('APPLOGS_TIMES: one of on, off is wanted, not "0"')
})

describe("the column of services", () => {
  test("is as wide as the widest, and grows", () => {
    const print = createPrinter(PLAIN, ["web", "worker"])
    expect(print(lineOf("x"))).toBe("web    | x\n")
    expect(print(lineOf("x", "scheduler"))).toBe("scheduler | x\n")
    expect(print(lineOf("x"))).toBe("web       | x\n")
  })
})

describe("a terminal", () => {
  const hostile = "a\x1b]52;c;ZXZpbA==\x07b\x9b2Jc\rd\x00\x7f"

  test.each(["text", "json", "raw"] as const)("is sent nothing that it obeys, as %s", (output) => {
    for (const isColored of [true, false]) {
      const look = { ...PLAIN, output, isColored }
      const text = createPrinter(look)(lineOf(hostile, "we\x1b[2Jb"))
      // oxlint-disable-next-line no-control-regex
      expect(text.replaceAll(/\x1b\[[0-9;]*m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
    }
  })

  test("is what changes them: what goes elsewhere is as it was", () => {
    const look = { ...PLAIN, isTerminal: false }
    expect(createPrinter({ ...look, output: "raw" })(lineOf(hostile))).toBe(`${hostile}\n`)
    const json = createPrinter({ ...look, output: "json" })(lineOf(hostile))
    expect(JSON.parse(json)).toEqual(lineOf(hostile))
    const shown = createPrinter({ ...PLAIN, output: "json" })(lineOf(hostile))
    expect(JSON.parse(shown)).toEqual(lineOf(hostile))
  })
})

test("tries again later and later, up to a bound, no sooner than it was told", () => {
  const backoff = new Backoff({ firstMs: 100, mostMs: 1_000 })
  for (const most of [100, 200, 400, 800, 1_000, 1_000]) {
    const ms = backoff.next()
    expect(ms).toBeGreaterThanOrEqual(most / 2)
    expect(ms).toBeLessThanOrEqual(most)
  }
  backoff.reset()
  expect(backoff.next()).toBeLessThanOrEqual(100)
  expect(backoff.next(700)).toBeGreaterThanOrEqual(700)
  expect(backoff.next(60_000)).toBe(1_000)
})
