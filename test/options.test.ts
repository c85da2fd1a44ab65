import { describe, expect, test } from "bun:test"
import { OPTION_NAMES, OPTIONS, optionTable, optionUsage } from "../src/options.ts"
import { cells, marked } from "./markdown.ts"

describe("the table of options", () => {
  test("has one line for each option, with its flag, variable and default", () => {
    const lines = optionTable().trim().split("\n")
    expect(lines.length).toBe(2 + OPTION_NAMES.length)
    expect(lines).toContain(
      `| \`--tail-max\` | \`APPLOGS_TAIL_MAX\` | \`10000\` | ${OPTIONS.tailMax.help} |`,
    )
  })

  test("is the README's", () => {
    expect(cells(marked("README.md", "options"))).toEqual(cells(optionTable()))
  })

  test("fits a terminal in usage, and has no Markdown there", () => {
    const usage = optionUsage()
    for (const line of usage.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
    expect(usage).not.toContain("`")
    expect(usage).toContain("  --docker-socket <path>\n")
  })
})
