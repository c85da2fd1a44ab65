import { describe, expect, test } from "bun:test"
import { readKeys } from "../../src/commands/keys.ts"
import { KeySet } from "../../src/http/keys.ts"
import { say } from "./say.ts"

const make = (...argv: readonly string[]) => say("key", ...argv)

describe("applogs key", () => {
  test("makes keys, and the file that knows them", async () => {
    let file = "# keys"
    const words = [["one"], ["two", "--apps", "shop, blog-*"], ['--apps=sh"op\\', "three"]]
    const keys: string[] = []
    for (const argv of words) {
      const { code, out, err } = await make(...argv)
      expect(code).toBe(0)
      expect(err).toMatch(
        /^The key of (one|two|three), which is shown this once.*:\napplogs_[\w-]{43}\n$/,
      )
      keys.push(err.split("\n")[1] as string)
      expect(out).not.toContain(keys.at(-1) as string)
      file += out
    }
    const set = new KeySet(readKeys([{ source: "file", text: file }]))
    const found = keys.map((key) => set.find(key))
    expect(found.map((key) => key?.name)).toEqual(["one", "two", "three"])
    const apps = ["shop", "blog-de", 'sh"op\\', "other"]
    expect(found.map((key) => apps.filter((app) => key?.sees(app)))).toEqual([
      apps,
      ["shop", "blog-de"],
      ['sh"op\\'],
    ])
  })

  test.each([
    [[], "applogs: key: one name is wanted: see applogs key --help\n"],
    [["a", "b"], "applogs: key: one name is wanted: see applogs key --help\n"],
    [["a.b"], "applogs: key: a name of up to 32"],
    [["-a"], 'applogs: "-a": no such option: see applogs key --help\n'],
    [["a".repeat(33)], "applogs: key: a name of up to 32"],
    [["a", "--apps"], "applogs: --apps: a value is wanted: --apps <names>"],
    [["a", "--apps", ""], "applogs: --apps: a value is wanted: --apps <names>"],
    [["a", "--apps", "shop,,blog"], "applogs: --apps: names are wanted"],
    [["a", "--apps", "sh\u007Fop"], "applogs: --apps: names are wanted"],
  ])("%j is refused with exit code 2, and makes none", async (argv, expected) => {
    const { code, out, err } = await make(...argv)
    expect([code, out]).toEqual([2, ""])
    expect(err).toStartWith(expected)
    expect(err.split("\n").length).toBe(2)
  })

  test("says what it is for", async () => {
    const { code, out, err } = await make("--help")
    expect([code, err]).toEqual([0, ""])
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(110)
    expect(out).toContain("--apps <names>")
  })
})
