import { describe, expect, test } from "bun:test"
import { negotiate } from "../../src/http/accept.ts"

const SNAPSHOT = {
  text: "text/plain",
  json: "application/json",
  ndjson: "application/x-ndjson",
} as const

describe("negotiate", () => {
  const cases: [accept: string | null, format: string][] = [
    [null, "text"],
    ["", "text"],
    ["*/*", "text"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text"],
    ["application/json", "json"],
    ["APPLICATION/JSON; charset=utf-8", "json"],
    ["application/x-ndjson", "ndjson"],
    ["application/*", "json"],
    ["text/plain;q=0.5, application/json", "json"],
    ["application/json;q=0.1, text/*;q=0.2", "text"],
    ["text/plain;q=0, */*;q=0.1", "json"],
    ["*/*, application/json;q=0.2", "text"],
    ["application/json;q=nonsense, application/x-ndjson;q=0.1", "ndjson"],
  ]
  test.each(cases)("Accept %p gives %s", (accept, format) => {
    expect<string>(negotiate(SNAPSHOT, undefined, accept)).toBe(format)
  })

  test.each(["text/html", "application/json;q=0", "image/*, audio/*", ";", "json"])(
    "Accept %p is not acceptable, and the answer says what would be",
    (accept) => {
      expect(() => negotiate(SNAPSHOT, undefined, accept)).toThrow(
        expect.objectContaining({
          code: "not_acceptable",
          details: { allowed: Object.values(SNAPSHOT) },
        }),
      )
    },
  )

  test("format wins over Accept", () => {
    expect(negotiate(SNAPSHOT, "json", "text/plain")).toBe("json")
  })

  test.each(["", "xml", "JSON", "toString", "__proto__"])("format %p is refused", (format) => {
    expect(() => negotiate(SNAPSHOT, format, null)).toThrow(
      expect.objectContaining({ code: "invalid_parameter" }),
    )
  })
})
