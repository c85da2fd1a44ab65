import { expect, test } from "bun:test"
import fc from "fast-check"
import { parseCri as parse } from "../../src/records/cri.ts"
import { stamp, utf8 } from "./wire.ts"

/** In the middle of other text, as it stands in a file. */
const parseCri = (raw: string) => parse(` F ${raw} F `, 3, 3 + raw.length)

test("a CRI record says what was written, whatever that was", () => {
  const record = fc.record({
    text: fc
      .string({ unit: "binary", maxLength: 40 })
      .map((text) => utf8(text.replaceAll("\n", ""))),
    flag: fc.constantFrom("F", "P", "F:x", "P:x"),
    stream: fc.constantFrom("stdout" as const, "stderr" as const),
    timestamp: fc.nat(9).map(stamp),
  })
  fc.assert(
    fc.property(record, ({ text, flag, stream, timestamp }) => {
      const raw = `${timestamp} ${stream} ${flag} ${text}`
      const ended = flag.startsWith("F")
      expect(parseCri(raw)).toEqual({ stream, timestamp, text, ended })
    }),
    { numRuns: 2_000 },
  )
})

test("its time may have an offset and a shorter fraction", () => {
  const record = parseCri("2026-08-20T14:34:56.5+02:00 stderr P half")
  expect(record?.timestamp).toBe("2026-08-20T12:34:56.500000000Z" as never)
  expect(record).toMatchObject({ stream: "stderr", text: "half", ended: false })
})

test("what is cut, or something else, is none", () => {
  const whole = "2026-08-20T14:34:56.500000000+02:00 stdout F text"
  const head = whole.length - "text".length
  for (let at = 0; at < head; at++) expect(parseCri(whole.slice(0, at))).toBeUndefined()
  for (const raw of [
    "",
    "plain text",
    `${"9".repeat(30)} stdout F x`,
    whole.replace(" F ", " X "),
  ]) {
    expect(parseCri(raw)).toBeUndefined()
  }
})
