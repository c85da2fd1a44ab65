import { describe, expect, test } from "bun:test"
import { complete, SHELLS } from "../../src/commands/completion.ts"
import { manPage } from "../../src/commands/man.ts"
import { COMMANDS } from "../../src/commands/table.ts"

const bash = complete(COMMANDS, "bash")

/** What a real bash offers behind these words; `applogs` is a function that lists these apps. */
async function offered(line: string, apps = "shop web shop-web running exact"): Promise<string[]> {
  const words = line.split(" ")
  const script = `applogs() { printf 'APP SERVICE\\n%s\\n' "$APPS"; }
${bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _applogs; printf '%s\\n' "\${COMPREPLY[@]}"`
  const shell = Bun.spawn(["bash", "-uc", script, "-", ...words], {
    env: { PATH: process.env["PATH"] ?? "", APPS: apps },
    cwd: `${import.meta.dir}/../..`,
    stderr: "pipe",
  })
  const out = await new Response(shell.stdout).text()
  expect(await new Response(shell.stderr).text()).toBe("")
  return out.trim().split("\n")
}

describe("a bash that has read its completions", () => {
  test.each([
    ["applogs ", Object.keys(COMMANDS)],
    ["applogs ta", ["tail"]],
    ["applogs completion ", ["bash", "zsh", "fish"]],
    ["applogs tail --out", ["--output"]],
    ["applogs tail --output ", ["text", "json", "raw"]],
    ["applogs tail --output j", ["json"]],
    ["applogs apps --output ", ["text", "json"]],
    ["applogs tail --times --col", ["--color"]],
    ["applogs tail --cursor-file READ", ["README.md"]],
    ["applogs serve --log-level e", ["error"]],
    ["applogs tail --grep ", [""]],
    ["applogs tail sh", ["shop"]],
    ["applogs help ", [""]],
    ["applogs nothing ", [""]],
  ])("%s", async (line, expected) => {
    expect(await offered(line)).toEqual(expected)
  })

  test("runs nothing that a container is named", async () => {
    const apps = "$(touch/evil) x\n`id` x\nshop;id x\nshop x\nshop x"
    expect(await offered("applogs logs ", apps)).toContain("shop")
    expect((await offered("applogs logs ", apps)).filter((word) => !word.startsWith("--"))).toEqual(
      ["shop"],
    )
  })
})

test.each(SHELLS)("%s is told every flag", (shell) => {
  const script = complete(COMMANDS, shell)
  for (const flag of ["cursor-file", "api-key-file", "max-streams-per-key"]) {
    expect(script).toContain(flag)
  }
})

test.each(SHELLS.filter((shell) => Bun.which(shell)))("%s takes its script", async (shell) => {
  const check = Bun.spawn([shell, "-n"], {
    stdin: new Blob([complete(COMMANDS, shell)]),
    stderr: "pipe",
  })
  expect(await new Response(check.stderr).text()).toBe("")
  expect(await check.exited).toBe(0)
})

describe("the manual page", () => {
  const page = manPage(COMMANDS)

  test("names every command and every option", () => {
    for (const name of Object.keys(COMMANDS)) expect(page).toContain(`.B ${name}\n`)
    expect(page).toContain("\\fB\\-\\-cursor\\-file\\fR \\fIpath\\fR\n")
    expect(page).toContain("\\fB\\-\\-times\\fR\n")
    expect(page).not.toContain("`")
  })

  const linters = [
    ["mandoc", "-Tlint", "-Wwarning"],
    ["groff", "-man", "-ww", "-z", "-Tutf8"],
  ].filter(([tool = ""]) => Bun.which(tool))

  test.skipIf(linters.length === 0)("is clean by mandoc or groff, where one is there", async () => {
    for (const argv of linters) {
      const lint = Bun.spawn(argv, { stdin: new Blob([page]), stderr: "pipe" })
      const said = await new Response(lint.stdout).text()
      const warnings = (said + (await new Response(lint.stderr).text())).split("\n")
      expect(warnings.filter((line) => !line.includes("missing date"))).toEqual([""])
    }
  })
})
