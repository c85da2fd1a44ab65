import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { streamsThatFit } from "../../src/commands/open-files.ts"

const folder = mkdtempSync(join(tmpdir(), "limits-"))
afterAll(() => rmSync(folder, { recursive: true }))

function limitsWith(soft: string): string {
  const path = join(folder, soft)
  writeFileSync(
    path,
    `Limit                     Soft Limit           Hard Limit           Units
Max processes             95000                95000                processes
Max open files            ${soft.padEnd(20)} 524288               files
`,
  )
  return path
}

test("as many streams fit as files may be open, but for some; one, or any number, where that says nothing", () => {
  expect(streamsThatFit(limitsWith("1024"))).toBe(960)
  expect(streamsThatFit(limitsWith("50"))).toBe(1)
  expect(streamsThatFit(limitsWith("unlimited"))).toBe(Number.POSITIVE_INFINITY)
  expect(streamsThatFit("/nowhere")).toBe(Number.POSITIVE_INFINITY)
  expect(streamsThatFit()).toBeGreaterThan(0)
})
