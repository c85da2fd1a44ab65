import { describe, expect, test } from "bun:test"
import { readKeys } from "../../src/commands/keys.ts"
import { hashKey } from "../../src/http/keys.ts"
import { UsageError } from "../../src/usage.ts"
import { entryOf } from "../http/fakes.ts"

const [first, second, third] = ["a", "b", "c"].map((letter) => letter.repeat(32)) as [
  string,
  string,
  string,
]

const hex = (key: string) => Buffer.from(hashKey(key)).toString("hex")
const hashLine = (key: string) => `hash = "sha256:${hex(key)}"\n`

function mistake(...texts: string[]): string {
  try {
    readKeys(texts.map((text, index) => ({ source: index === 0 ? "file" : "other", text })))
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    const { message } = error as UsageError
    for (const secret of [first, second, third]) {
      expect(message).not.toContain(secret)
      expect(message).not.toContain(hex(secret))
    }
    return message
  }
  throw new Error("it was accepted")
}

describe("keys, one a line", () => {
  test("are taken of every place, with comments, blanks and any line end", () => {
    const text = `# old\r\n  ${first}  \n\n\t\n${second} # [new]\r#nothing`
    const keys = readKeys([
      { source: "--api-key-file", text },
      { source: "APPLOGS_API_KEY", text: third },
      // As while it moves from one place to the other.
      { source: "credential api-key", text: first },
    ])
    expect(keys).toEqual([first, second, third].map((key) => entryOf(key)))
    expect(readKeys([])).toEqual([])
  })

  test("are refused when they could be guessed, or no client could send them, and not repeated", () => {
    expect(mistake("# nothing\n\n")).toBe("file: a key on a line of its own is wanted")
    expect(mistake("only15character")).toStartWith("file: the API key has fewer than 16 characters")
    expect(mistake(`${first}\nshort`)).toMatch(
      /^file: API key 2 has fewer than 16 characters: make/,
    )
    for (const bad of [`${first} x`, `${first},`, `é${first}`, `${first}=a`, `"${first}"`]) {
      expect(mistake(bad)).toContain("may only have letters, digits")
    }
    expect(readKeys([{ source: "", text: `${first}-._~+/==` }]).length).toBe(1)
    // As when an entry was added to a file of plain keys.
    expect(mistake(`${first}\n\n[a]\n${hashLine(second)}`)).toStartWith("file: plain keys and entr")
  })
})

describe("keys with names", () => {
  test("have a hash, and may have apps", () => {
    const text = `
      # the dashboard
      [grafana]
      ${hashLine(first)}
      apps = ["shop", "blog-*", # and
        "*"]
      [Script-2_b]
      ${hashLine(second)}`
    expect(readKeys([{ source: "file", text }])).toEqual([
      entryOf(first, ["shop", "blog-*", "*"], "grafana"),
      entryOf(second, undefined, "Script-2_b"),
    ])
    const capitals = `[a]\nhash = "sha256:${hex(first).toUpperCase()}"`
    expect(readKeys([{ source: "file", text: capitals }])).toEqual([entryOf(first, undefined, "a")])
    const old = { source: "APPLOGS_API_KEY", text: third }
    expect(readKeys([{ source: "file", text }, old]).length).toBe(3)
  })

  const good = `[a]\n${hashLine(first)}`

  test.each([
    ["[a]\n", "file: a: hash = "],
    [`[a]\nhash = "${hex(first)}"`, "file: a: hash = "],
    [`[a]\nhash = "sha256:${hex(first)}0"`, "file: a: hash = "],
    [`[a]\nhash = "${first}"`, "file: a: hash = "],
    ["[a]\nhash = 1", "file: a: hash = "],
    [`${good}key = "${second}"`, "file: a: nothing but hash and apps"],
    [`${good}[a.b]\nx = 1`, "file: a: nothing but hash and apps"],
    [`${good}${third} = 1`, "file: a: nothing but hash and apps"],
    [`${good}apps = []`, "file: a: apps = "],
    [`${good}apps = "shop"`, "file: a: apps = "],
    [`${good}apps = ["shop", 1]`, "file: a: apps = "],
    [`${good}apps = ["shop", ""]`, "file: a: apps = "],
    [`${good}apps = [" "]`, "file: a: apps = "],
    [`${good}apps = ["a\\nb"]`, "file: a: apps = "],
    [`${good}[[b]]\n${hashLine(second)}`, "file: b: a table is wanted: [b]"],
    [`${good}["b c"]\n${hashLine(second)}`, "file: entry 2: a name of up to 32"],
    [`${good}[__proto__]\n${hashLine(second)}`, "file: entry 2: a name of up to 32"],
    [`${good}[${third}-]\n${hashLine(second)}`, "file: entry 2: a name of up to 32"],
    [`${good}[a]\n${hashLine(second)}`, "file: a name is given twice"],
    [`${good}[b]\n${hashLine(first)}`, "file: a and b are one and the same key"],
    [`${good}${second}`, "file: TOML is wanted"],
    [`[a]\nhash = ${first}`, "file: TOML is wanted"],
    [`[${second} x]`, "file: TOML is wanted"],
    ["[]", "file: TOML is wanted"],
  ])("%j is refused by its place", (text, expected) => {
    expect(mistake(text)).toStartWith(expected)
  })

  test("mean one thing each, over all places", () => {
    expect(mistake(good, `[a]\n${hashLine(second)}`)).toBe("other: the name a is given twice")
    const same = "other: a and a key without a name are one and the same key"
    expect(mistake(good, first)).toBe(same)
    expect(mistake(first, good)).toBe("other: a key without a name and a are one and the same key")
  })
})
