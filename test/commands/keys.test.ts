import { describe, expect, test } from "bun:test"
import { readKeys } from "../../src/commands/keys.ts"
import { UsageError } from "../../src/usage.ts"

const [first, second, third] = ["a", "b", "c"].map((letter) => letter.repeat(32)) as [
  string,
  string,
  string,
]

function mistake(source: string, text: string): string {
  try {
    readKeys([{ source, text }])
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as UsageError).message
  }
  throw new Error("it was accepted")
}

describe("readKeys", () => {
  test("takes every key of every place", () => {
    const keys = readKeys([
      { source: "--api-key-file", text: `# old\n${first}\n\n${second}  # new\n` },
      { source: "APPLOGS_API_KEY", text: third },
    ])
    const found = [first, second, third, "d".repeat(32)].map((key) => keys.find(key))
    expect(found).toEqual([0, 1, 2, undefined])
  })

  test("finds none in no place", () => {
    expect(readKeys([]).size).toBe(0)
  })

  test("names the place that has no key, or a bad one, and never says the key", () => {
    expect(mistake("--api-key-file", "# nothing\n\n")).toBe(
      "--api-key-file: a key on a line of its own is wanted",
    )
    for (const bad of ["secret", "not sendable: ".repeat(3)]) {
      const message = mistake("APPLOGS_API_KEY", bad)
      expect(message).toStartWith("APPLOGS_API_KEY: ")
      expect(message).not.toContain(bad)
    }
  })
})
