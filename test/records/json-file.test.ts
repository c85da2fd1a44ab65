import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { parseJsonFile as parse } from "../../src/records/json-file.ts"
import { stamp, utf8 } from "./wire.ts"

/** In the middle of other text, as it stands in a file. */
const parseJsonFile = (raw: string) => parse(`"\\n${raw}"\\n`, 3, 3 + raw.length)

/** As the engines write strings: they escape these, and leave every other character as it is. */
function goJson(text: string): string {
  return JSON.stringify(text)
    .replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e")
    .replaceAll("&", "\\u0026")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
}

const texts = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom(...Array.from('"\\,:{}nu<&\u2028\u0085é')),
      maxLength: 20,
    }),
  },
  fc.constantFrom(
    "",
    "\\",
    '","stream":"stderr","time":"2020-01-01T00:00:00Z"}',
    ',"time":"2020-01-01T00:00:00Z"}',
    '{"log":"","stream":"stdout","time":"2020-01-01T00:00:00Z"}',
  ),
)

const records = fc.record({
  text: texts.map((text) => text.replaceAll("\n", "")),
  ended: fc.boolean(),
  stream: fc.constantFrom("stdout" as const, "stderr" as const),
  timestamp: fc.nat(3).map((ns) => stamp(ns * 10)),
  attrs: fc.constantFrom(
    "",
    ',"attrs":{}',
    ',"attrs":{"a":"b"}',
    ',"attrs":{"time":"\\",\\"time\\":\\"x"}',
  ),
  trims: fc.boolean(),
})

describe("a json-file record", () => {
  test("says what was written, whatever that was", () => {
    fc.assert(
      fc.property(records, ({ text, ended, stream, timestamp, attrs, trims }) => {
        const log = goJson(text + (ended ? "\n" : ""))
        const time = trims ? timestamp.replace(/\.?0*Z$/, "Z") : timestamp
        const raw = utf8(`{"log":${log},"stream":"${stream}"${attrs},"time":"${time}"}`)
        expect(parseJsonFile(raw)).toEqual({ stream, timestamp, text: utf8(text), ended })
      }),
      { numRuns: 5_000 },
    )
  })

  test("may have its fields in another order, and blanks between them", () => {
    const raw = utf8(
      `{ "time": "2026-08-20T12:34:56Z", "stream": "stderr", "log": "caf\u00e9\\n" }`,
    )
    expect(parseJsonFile(raw)).toEqual({
      stream: "stderr",
      timestamp: "2026-08-20T12:34:56.000000000Z" as never,
      text: utf8("caf\u00e9"),
      ended: true,
    })
  })

  test("that is cut anywhere, or has a byte changed, is another record or none, and never an error", () => {
    const whole = utf8(
      `{"log":"a \\"b\\" \\u003c\\n","stream":"stdout","time":"2026-08-20T12:34:56.1Z"}`,
    )
    for (let at = 0; at < whole.length; at++) {
      expect(parseJsonFile(whole.slice(0, at))).toBeUndefined()
      for (const char of '\0"\\{}ux9é') {
        const record = parseJsonFile(whole.slice(0, at) + char + whole.slice(at + 1))
        if (record) expect(record.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
      }
    }
  })

  test("behind one that is torn, on the same line, is none, wherever that one ends", () => {
    fc.assert(
      fc.property(records, records, fc.nat(), (torn, whole, cut) => {
        const [first, second] = [torn, whole].map(({ text, stream, timestamp, attrs }) => {
          return utf8(
            `{"log":${goJson(`${text}\n`)},"stream":"${stream}"${attrs},"time":"${timestamp}"}`,
          )
        }) as [string, string]
        const part = first.slice(0, 1 + (cut % first.length))
        expect(parseJsonFile(part + second)).toBeUndefined()
      }),
      { numRuns: 5_000 },
    )
  })

  test("is nothing else", () => {
    for (const raw of [
      "",
      "null",
      "[]",
      "{}",
      "\0".repeat(100),
      "plain text",
      '{"log":1,"stream":"stdout","time":""}',
    ]) {
      expect(parseJsonFile(raw)).toBeUndefined()
    }
  })
})
