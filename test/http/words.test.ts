import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { ignoredHeader, readWords } from "../../src/http/words.ts"

const read = (query: string) =>
  readWords(new Request(`http://localhost/?${query}`), ["tail", "grep"])

describe("known names", () => {
  test("have the value that they are given, decoded once, also the empty one", () => {
    const words = read("tail=%2535&grep")
    expect([words.get("tail"), words.get("grep"), words.get("other")]).toEqual([
      "%35",
      "",
      undefined,
    ])
  })

  test("that come twice are refused, even with the same value", () => {
    for (const query of ["tail=5&tail=5", "tail=5&t%61il=6", "tail&tail"]) {
      expect(() => read(query)).toThrow(
        expect.objectContaining({ code: "invalid_parameter", details: { parameter: "tail" } }),
      )
    }
  })
})

describe("unknown names", () => {
  const ignored = (query: string) => ignoredHeader(read(query))

  test("are told, each once, and not the known ones", () => {
    expect(ignored("tial=5&tail=5&x&x=1")).toEqual({ "Applogs-Ignored-Params": "tial, x" })
    expect(ignored("tail=5")).toEqual({})
  })

  test("are told in safe characters, and not without end", () => {
    expect(ignored("a%0d%0aSet-Cookie:x&%00&<script>&a,b")).toEqual({
      "Applogs-Ignored-Params": "?",
    })
    expect(ignored("x".repeat(41))).toEqual({ "Applogs-Ignored-Params": "?" })
    const many = Array.from({ length: 100 }, (_, index) => `n${index}`).join("&")
    expect(ignored(many)["Applogs-Ignored-Params"]?.split(", ")).toHaveLength(10)
  })

  test("whatever they are, the header is one that can be sent", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 20 }), (names) => {
        const query = new URLSearchParams(
          names.map((name): [string, string] => [name, ""]),
        ).toString()
        const value = ignored(query)["Applogs-Ignored-Params"] ?? ""
        expect(value).toMatch(/^[\w.?, -]{0,500}$/)
      }),
    )
  })
})
