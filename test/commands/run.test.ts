import { describe, expect, test } from "bun:test"
import { say } from "./say.ts"

describe("the command line", () => {
  test.each([["version"], ["--version"]])("%s says the version", async (word) => {
    expect(await say(word)).toEqual({ code: 0, out: "applogs unbuilt\n", err: "" })
  })

  test.each([["help"], ["--help"], ["-h"]])("%s names the commands", async (word) => {
    const { code, out } = await say(word)
    expect(code).toBe(0)
    expect(out).toContain("applogs serve")
    expect(out).toContain("applogs version")
  })

  test.each(["--help", "-h", "--listen nonsense --help"])(
    "serve %s names the options, and serves nothing",
    async (words) => {
      const { code, out, err } = await say("serve", ...words.split(" "))
      expect([code, err]).toEqual([0, ""])
      expect(out).toContain("--docker-socket <path>")
    },
  )

  test.each([
    [[], "applogs: a command is wanted: see applogs --help\n"],
    [["sreve"], 'applogs: "sreve": no such command: see applogs --help\n'],
    [["constructor"], 'applogs: "constructor": no such command: see applogs --help\n'],
    [["--listen"], 'applogs: "--listen": no such command: see applogs --help\n'],
    [["version", "now"], 'applogs: "now": version takes no options\n'],
    [["serve", "--x"], 'applogs: "--x": no such option: see applogs serve --help\n'],
    [
      ["serve", "--runtime", "dokcer", "--local-socket", "none"],
      "applogs: --runtime: there is no runtime",
    ],
  ])("%j is refused with exit code 2 and one line", async (argv, expected) => {
    const { code, out, err } = await say(...argv)
    expect([code, out]).toEqual([2, ""])
    expect(err).toStartWith(expected)
    expect(err.split("\n").length).toBe(2)
  })
})
