import { expect, test } from "bun:test"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closeAll, openSegments } from "../../src/logfile/segments.ts"

const OPENINGS = 1_000
const FILES = 5

test("files that are rotated meanwhile are opened once each and in order, and none that stays is left out", async () => {
  const directory = mkdtempSync(join(tmpdir(), "applogs-segments-"))
  const path = join(directory, "log")
  const name = (number: number) => (number === 0 ? path : `${path}.${number}`)
  /** What a file holds says which one it is. */
  let newest = FILES - 1
  for (let number = 0; number < FILES; number++) {
    writeFileSync(name(number), String(newest - number).padStart(8, "0"))
  }
  let over = false
  /** As an engine does it: a step at a time, and others get a word in between. */
  async function rotateOn(): Promise<void> {
    while (!over) {
      for (let number = FILES - 1; number > 0; number--) {
        renameSync(name(number - 1), name(number))
        await turns(newest % 4)
      }
      writeFileSync(path, String(++newest).padStart(8, "0"))
      // It rests now and then, or its files could be found in no order at all.
      await turns((newest % 10) ** 4)
    }
  }
  const rotating = rotateOn()
  for (let times = 0; times < OPENINGS; times++) {
    const { segments } = await openSegments(path, "number")
    const numbers = await Promise.all(segments.map(async (each) => Number(await each.read(0, 8))))
    await closeAll(segments)
    const last = numbers.at(-1) ?? 0
    // While the files move up, one of them is there no more, and the newest not yet.
    expect(numbers.length).toBeGreaterThanOrEqual(FILES - 1)
    expect(numbers).toEqual(numbers.map((_, index) => last - numbers.length + 1 + index))
  }
  over = true
  await rotating
  rmSync(directory, { recursive: true })
})

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
