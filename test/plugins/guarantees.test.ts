import { expect, test } from "bun:test"
import { loadPlugin, PLUGIN_NAMES } from "../../plugins/index.ts"
import { cells, marked } from "../markdown.ts"

const SOURCES = { file: "its file", api: "API or CLI", none: "nothing" } as const

/** One line for each guarantee that a built-in plugin declares. */
async function guaranteeTable(): Promise<string> {
  const rows: string[] = []
  for (const name of PLUGIN_NAMES) {
    const { guarantees } = await loadPlugin(name)
    for (const { logs, level, source, reason } of guarantees) {
      rows.push(`| ${name} | ${logs} | ${SOURCES[source]} | ${level} | ${reason} |`)
    }
  }
  const head = [
    "| runtime | logs | read from | guarantee | why not more |",
    "| --- ".repeat(5) + "|",
  ]
  return [...head, ...rows].join("\n")
}

test("the README's table of guarantees is what the plugins declare", async () => {
  expect(cells(marked("README.md", "guarantees"))).toEqual(cells(await guaranteeTable()))
})

test.each(PLUGIN_NAMES)("%s says of each guarantee that is not exact why", async (name) => {
  const { guarantees } = await loadPlugin(name)
  expect(guarantees.length).toBeGreaterThan(0)
  for (const { level, source, reason } of guarantees) {
    if (level !== "exact") expect(reason).not.toBe("")
    expect(source === "none").toBe(level === "unreadable")
  }
})
