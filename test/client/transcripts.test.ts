import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { KEY, Shop } from "./shop.ts"

/**
 * Each begins with a line for a shell; then all of stdout, all of stderr (`2> `), and the exit code unless it is 0.
 * Control characters are written as JSON writes them. URL, SOCKET, KEYS and BAD stand for this run's own.
 */
const TRANSCRIPTS = [
  String.raw`$ applogs apps
APP   SERVICE         CONTAINER            STATE    GUARANTEE
shop  needs-postgres  shop-needs-postgres  running  exact
shop  web             shop-web             running  exact`,

  String.raw`$ applogs logs shop
web            | hello
needs-postgres | ready
web            | red, without its colour
web            | \\x1b]0;title\\x07 \\x9b2J and more`,

  String.raw`$ applogs logs shop --color always --times --tail 2
2026-01-01T00:00:02.000000000Z \u001b[95mweb            |\u001b[0m \u001b[31mred\u001b[0m, without its colour\u001b[0m
2026-01-01T00:00:03.000000000Z \u001b[95mweb            |\u001b[0m \\x1b]0;title\\x07 \\x9b2J and more`,

  String.raw`$ applogs logs shop --service needs-postgres
needs-postgres | ready`,

  String.raw`$ applogs logs shop --needs none --grep l --stream stdout --until 2026-01-01T00:00:00Z
web | hello`,

  String.raw`$ applogs logs shop --output json --since 2026-01-01T00:00:01Z --tail 1
{"service":"web","stream":"stdout","timestamp":"2026-01-01T00:00:03.000000000Z","message":"\\u001b]0;title\\u0007 \u009b2J and more","isNeeds":false}`,

  String.raw`$ applogs logs shop --output raw
hello
ready
\u001b[31mred\u001b[0m, without its colour
\u001b]0;title\u0007 \u009b2J and more`,

  String.raw`$ applogs logs shop --url URL --api-key-file KEYS --tail 0`,

  String.raw`$ applogs logs shpo
2> applogs: there is no such app: see applogs apps
exit 3`,

  String.raw`$ applogs tail shpo
2> applogs: there is no such app: see applogs apps
exit 3`,

  String.raw`$ applogs tail shop --service wbe
2> applogs: --service: the app has no such service; it has: needs-postgres, web
exit 3`,

  String.raw`$ applogs tail shop --stream both
2> applogs: --stream must be one of: stdout, stderr
exit 2`,

  String.raw`$ applogs tail shop --needs postgres,
2> applogs: --needs: all, none, or kinds such as postgres,redis are wanted, not "postgres,"
exit 2`,

  String.raw`$ applogs apps --url URL
2> applogs: an API key is wanted: --api-key-file, or APPLOGS_API_KEY
exit 4`,

  String.raw`$ applogs apps --url URL --api-key-file BAD
2> applogs: the API key is not a valid one: see --api-key-file, APPLOGS_API_KEY
exit 4`,

  String.raw`$ applogs apps --local-socket /nowhere.sock
2> applogs: nobody answers at /nowhere.sock: start applogs serve, or say where it is: --local-socket, --url
exit 5`,

  String.raw`$ applogs tail shop --url http://127.0.0.1:1
2> applogs: nobody answers at http://127.0.0.1:1: nothing listens there
exit 5`,

  String.raw`$ applogs logs ..
2> applogs: logs: one app is wanted: applogs logs APP (applogs apps lists them)
exit 2`,

  String.raw`$ applogs tail
2> applogs: tail: one app is wanted: applogs tail APP (applogs apps lists them)
exit 2`,

  String.raw`$ applogs logs shop --colour always
2> applogs: "--colour": no such option: see applogs logs --help
exit 2`,

  String.raw`$ applogs logs shop --output yaml
2> applogs: --output: one of text, json, raw is wanted, not "yaml"
exit 2`,

  String.raw`$ applogs logs shop --url http://me:secret@host
2> applogs: --url: a key does not belong into an address: --api-key-file takes it
exit 2`,

  String.raw`$ applogs completion tcsh
2> applogs: completion: one of bash, zsh, fish is wanted
exit 2`,
]

const shop = new Shop()
let words: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  shop.write("web", "hello")
  shop.write("needs-postgres", "ready")
  shop.write("web", "\x1b[31mred\x1b[0m, without its colour", "\x1b]0;title\x07 \x9b2J and more")
  await shop.start()
  const [keys, bad] = [join(shop.folder, "keys"), join(shop.folder, "bad")]
  writeFileSync(keys, `# mine\n${KEY}\n`)
  writeFileSync(bad, "x".repeat(32))
  words = { URL: shop.origin, KEYS: keys, BAD: bad }
})

afterAll(() => shop[Symbol.asyncDispose]())

describe("the command line", () => {
  test.each(TRANSCRIPTS.map((text) => [text.split("\n", 1)[0] ?? "", text]))(
    "%s",
    async (head, transcript) => {
      const argv = head.replace("$ applogs ", "").split(" ")
      const { out, err, code } = await shop.run(argv.map((word) => words[word] ?? word))
      const said = [
        head,
        ...rows(out).map((row) => JSON.stringify(row).slice(1, -1).replaceAll('\\"', '"')),
        ...rows(err).map((row) => `2> ${row}`),
        ...(code === 0 ? [] : [`exit ${code}`]),
      ]
      expect(said.map(visible)).toEqual(transcript.split("\n").map(visible))
    },
  )
})

test("who has not said how many lines is told that there are more", async () => {
  await using busy = new Shop()
  busy.write("web", ...Array.from({ length: 102 }, (_, index) => `line ${index}`))
  await busy.start()
  const { out, err, code } = await busy.run(["logs", "shop", "--output", "raw"])
  expect([rows(out).length, rows(out)[0], code]).toEqual([100, "line 2", 0])
  expect(err).toBe(
    "applogs: there is more: these are the last 100 lines (--tail all prints every one)\n",
  )
  expect((await busy.run(["logs", "shop", "--tail", "100"])).err).toBe("")
  expect(rows((await busy.run(["logs", "shop", "--tail", "all"])).out)).toHaveLength(102)
})

function rows(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

/** C1 controls, which JSON leaves as they are. */
function visible(text: string): string {
  return text.replaceAll("\x9b", "\\u009b")
}
