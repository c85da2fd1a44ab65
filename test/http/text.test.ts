import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { Ansi } from "../../src/disarm.ts"
import { createTextRow } from "../../src/http/text.ts"
import { AT, makeLine, makeMember } from "./fakes.ts"
import { hostile } from "./hostile.ts"

const ESCAPE = "\x1b"
const COLOUR = new RegExp(`${ESCAPE}\\[[0-9;:]*m`, "g")

function row(message: string, ansi: Ansi = "keep", service = "web"): string {
  return createTextRow([service], ansi)({ member: makeMember(service), line: makeLine(message) })
}

describe("a row of text", () => {
  test("is the time, the service padded to the widest, and the message", () => {
    const make = createTextRow(["web", "worker"], "keep")
    expect(make({ member: makeMember("web"), line: makeLine("hello") })).toBe(
      `${AT} web    | hello\n`,
    )
    expect(make({ member: makeMember("worker"), line: makeLine("") })).toBe(`${AT} worker | \n`)
  })

  test("shows a service that joined later as it is", () => {
    const make = createTextRow(["web"], "keep")
    expect(make({ member: makeMember("late-one"), line: makeLine("x") })).toBe(
      `${AT} late-one | x\n`,
    )
  })

  const cases: [name: string, message: string, keep: string, strip: string][] = [
    ["tabs", "a\tb", "a\tb", "a\tb"],
    ["colours", "\x1b[1;31mred\x1b[m", "\x1b[1;31mred\x1b[m", "red"],
    ["true colours", "\x1b[38:2::255:0:0mx", "\x1b[38:2::255:0:0mx", "x"],
    ["a line end inside", "a\nb", "a\\x0ab", "a\\x0ab"],
    ["a carriage return inside", "10%\r20%", "10%\\x0d20%", "10%\\x0d20%"],
    ["the CR of a CR LF", "windows\r", "windows", "windows"],
    ["the clearing of a screen", "\x1b[2J", "\\x1b[2J", "\\x1b[2J"],
    ["a title", "\x1b]0;root\x07", "\\x1b]0;root\\x07", "\\x1b]0;root\\x07"],
    ["a clipboard", "\x1b]52;c;AA==\x1b\\", "\\x1b]52;c;AA==\\x1b\\", "\\x1b]52;c;AA==\\x1b\\"],
    ["a device's string", "\x1bP1$r\x1b\\", "\\x1bP1$r\\x1b\\", "\\x1bP1$r\\x1b\\"],
    ["an eight-bit CSI", "\x9b31mx", "\\x9b31mx", "\\x9b31mx"],
    ["backspaces and DEL", "a\b\x7f", "a\\x08\\x7f", "a\\x08\\x7f"],
    ["NUL", "a\0b", "a\\x00b", "a\\x00b"],
    ["a colour inside a colour", "\x1b\x1b[1m[2mx", "\\x1b\x1b[1m[2mx", "\\x1b[2mx"],
    ["a colour that does not end", "\x1b[31", "\\x1b[31", "\\x1b[31"],
    [
      "a colour too long to be one",
      `\x1b[${"1".repeat(65)}m`,
      `\\x1b[${"1".repeat(65)}m`,
      `\\x1b[${"1".repeat(65)}m`,
    ],
    ["other scripts", "日本語 é 🚀", "日本語 é 🚀", "日本語 é 🚀"],
  ]
  test.each(cases)("shows %s", (_, message, keep, strip) => {
    expect(row(message)).toBe(`${AT} web | ${keep}\n`)
    expect(row(message, "strip")).toBe(`${AT} web | ${strip}\n`)
    expect(row(message, "raw")).toBe(`${AT} web | ${message}\n`)
  })

  test("never carries a control byte but its line end, tabs and colours, whatever a container writes", () => {
    fc.assert(
      fc.property(
        hostile,
        hostile,
        fc.constantFrom<Ansi>("keep", "strip"),
        (message, service, ansi) => {
          const text = row(message, ansi, service)
          expect(text.endsWith("\n")).toBe(true)
          const rest = text.slice(0, -1).replaceAll(COLOUR, "")
          if (ansi === "strip") expect(text).not.toContain("\x1b")
          expect(rest).not.toMatch(/[\p{Cc}--\t]/v)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
