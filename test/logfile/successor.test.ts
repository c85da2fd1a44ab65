/** What the kernel's times prove of files that are renamed over each other. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Segment } from "../../src/logfile/segment.ts"
import { isSuccessor } from "../../src/logfile/successor.ts"
import { until } from "../real/sandbox.ts"

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "applogs-successor-"))
  path = join(directory, "log")
  writeFileSync(path, "first\n")
})
afterEach(() => rmSync(directory, { recursive: true }))

async function opened(): Promise<Segment> {
  const segment = await Segment.open(path)
  if (!segment) throw new Error("the log is not there")
  return segment
}

/** Waits until the kernel's clock has gone on, so that what comes is stamped later. */
async function tick(): Promise<void> {
  const made = () => {
    const probe = join(directory, "probe")
    rmSync(probe, { force: true })
    writeFileSync(probe, "")
    return statSync(probe, { bigint: true }).birthtimeNs
  }
  const before = made()
  await until(() => made() > before, { what: "the clock to tick" })
}

/** As conmon does it. */
async function replace(text: string): Promise<void> {
  await tick()
  writeFileSync(`${path}.tmp`, text)
  await tick()
  renameSync(`${path}.tmp`, path)
  await tick()
  writeFileSync(path, text, { flag: "a" })
}

test("the file that was renamed over another comes next, however much was written since", async () => {
  await using first = await opened()
  await replace("second\n")
  await using second = await opened()
  expect(await isSuccessor(second, first)).toBe(true)
})

test("the one after that does not", async () => {
  await using first = await opened()
  await replace("second\n")
  await using second = await opened()
  await replace("third\n")
  await using third = await opened()
  expect(await isSuccessor(third, first)).toBe(false)
  expect(await isSuccessor(third, second)).toBe(true)
})

test("nothing is proven by a file that still has a name, or was deleted before the next was made", async () => {
  await using first = await opened()
  renameSync(path, `${path}.1`)
  await tick()
  writeFileSync(path, "second\n")
  await using second = await opened()
  expect(await isSuccessor(second, first)).toBe(false)
  rmSync(path)
  await tick()
  writeFileSync(path, "third\n")
  await using third = await opened()
  expect(await isSuccessor(third, second)).toBe(false)
})
