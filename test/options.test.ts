import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { OPTION_NAMES, OPTIONS, optionTable, optionUsage } from "../src/options.ts"

describe("the table of options", () => {
  test("has one line for each option, with its flag, variable and default", () => {
    const lines = optionTable().trim().split("\n")
    expect(lines.length).toBe(2 + OPTION_NAMES.length)
    expect(lines).toContain(
      `| \`--tail-max\` | \`APPLOGS_TAIL_MAX\` | \`10000\` | ${OPTIONS.tailMax.help} |`,
    )
  })

  test("is the README's", () => {
    const readme = readFileSync(join(import.meta.dir, "../README.md"), "utf8")
    const [, table] = /<!-- options -->\n([^]*)<!-- \/options -->/.exec(readme) ?? []
    expect(cells(table ?? "no markers")).toEqual(cells(optionTable()))
  })

  test("fits a terminal in usage, and has no Markdown there", () => {
    const usage = optionUsage()
    for (const line of usage.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
    expect(usage).not.toContain("`")
    expect(usage).toContain("  --docker-socket <path>\n")
  })
})

/** Without what a formatter may do to the table: padding, and the length of its rule. */
function cells(table: string): string[] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.replaceAll(/ *\| */g, "|").replaceAll(/-{3,}/g, "---"))
    .filter((line) => line !== "")
}
