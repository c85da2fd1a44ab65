import { afterAll, describe, expect, test } from "bun:test"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Service } from "../commands/service.ts"
import { marked } from "../markdown.ts"

const ROOT = join(import.meta.dir, "../..")

/** What an author has: the file, and a copy of the repository. */
const author = mkdtempSync(join(tmpdir(), "applogs-author-"))
afterAll(() => rmSync(author, { recursive: true }))

function block(name: string): string {
  const [, code] = /```\w+\n([^]*)```/.exec(marked("plugins/README.md", name)) ?? []
  return code ?? "no code"
}

describe("what plugins/README.md shows", () => {
  test.each([
    ["example", "plugins/example.ts"],
    ["conformance", "test/conformance/example.test.ts"],
  ])("as its %s is %s", (name, file) => {
    expect(block(name)).toBe(readFileSync(join(ROOT, file), "utf8"))
  })

  test("checks the types of an author's plugin, and runs the suite on it", async () => {
    const folder = join(author, "types")
    mkdirSync(folder)
    symlinkSync(ROOT, join(folder, "applogs"))
    writeFileSync(join(folder, "tsconfig.json"), block("tsconfig"))
    const plugin = moved("plugins", block("example"))
    const suite = moved("test/conformance", block("conformance"))
    writeFileSync(join(folder, "mine.ts"), plugin)
    writeFileSync(
      join(folder, "mine.test.ts"),
      suite.replace("../../plugins/example.ts", "mine.ts"),
    )
    const run = async (...command: string[]) => {
      const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" })
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { code: await child.exited, said: out + err }
    }
    expect(await run("applogs/node_modules/.bin/tsc")).toEqual({ code: 0, said: "" })
    const some = ["-t", "list|rotated away"]
    const tested = await run("applogs/node_modules/.bin/bun", "test", "mine.test.ts", ...some)
    expect(tested).toEqual({ code: 0, said: expect.stringMatching(/^ 4 pass$/m) })

    writeFileSync(join(folder, "mine.ts"), plugin.replace("position: behind", "position: end"))
    const mistaken = await run("applogs/node_modules/.bin/tsc")
    expect(mistaken.code).not.toBe(0)
    expect(mistaken.said).toContain("mine.ts")
  })
})

/** As the text would be written elsewhere, with the repository in `./applogs`. */
function moved(folder: string, text: string): string {
  return text.replaceAll(/ from "(\.[^"]*)"/g, (_, path: string) => {
    return ` from "./applogs/${join(folder, path)}"`
  })
}

describe("the example, alone, away from the repository, in the executable", () => {
  const file = join(author, "kubelet.ts")
  const env = { KUBELET_LOGS: author, CONTAINERD_TASKS: author }
  copyFileSync(join(ROOT, "plugins/example.ts"), file)

  test("serves what the files hold", async () => {
    const record = "2026-08-20T12:34:56.5+02:00 stderr F hello"
    writeFileSync(join(author, `web-5d8_shop_web-${"1".repeat(64)}.log`), `${record}\n`)
    await using service = new Service([], env, file)
    await service.listening()
    const response = await service.get("/api/apps/shop/logs")
    expect(await response.text()).toBe("2026-08-20T10:34:56.500000000Z web | hello\n")
    const app = await (await service.get("/api/apps/shop")).json()
    const guarantee = { level: "best-effort", source: "file" }
    expect(app).toMatchObject({ services: [{ containers: [{ guarantee }] }] })
  })

  test("tells what is no record as a gap, and reads on", async () => {
    const record = (word: string) => `2026-08-20T12:34:56Z stdout F ${word}\n`
    const text = `${record("first")}\0\0torn\n${record("second")}`
    writeFileSync(join(author, `web-5d8_torn_web-${"2".repeat(64)}.log`), text)
    await using service = new Service([], env, file)
    await service.listening()
    const response = await service.get("/api/apps/torn/logs/stream?since=1970-01-01T00:00:00Z")
    let seen = ""
    for await (const chunk of response.body ?? []) {
      seen += new TextDecoder().decode(chunk)
      if (seen.includes("second")) break
    }
    const events = [...seen.matchAll(/^event: (log|gap)$/gm)].map(([, name]) => name)
    expect(events).toEqual(["log", "gap", "log"])
  })
})
