/** The histories of `test/logapi`, with a log that stands in files: what is true of the one is true of the other. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { HISTORIES, SEED } from "../logapi/histories.ts"
import { type HistoryOptions, steps, Writer } from "../logapi/history.ts"
import { readInPieces } from "../logapi/reader.ts"
import { FiledLog } from "./filed.ts"

/** Files cost more than memory. */
const NUM_RUNS = Math.ceil(HISTORIES / 200)

interface Kind extends HistoryOptions {
  readonly name: string
}

const KINDS: readonly Kind[] = [
  { name: "equal times", stepsBack: false, rotates: false },
  { name: "clocks that step back, and rotation", stepsBack: true, rotates: true },
]

describe("a log read in pieces from its files", () => {
  for (const kind of KINDS) {
    test(`comes whole, with ${kind.name}`, async () => {
      let [gaps, resumes] = [0, 0]
      const property = fc.asyncProperty(steps(kind), async (history) => {
        using log = new FiledLog()
        const counts = await readInPieces(log, new Writer(log), history, kind)
        gaps += counts.gaps
        resumes += counts.resumes
      })
      await fc.assert(property, { numRuns: NUM_RUNS, seed: SEED })
      console.log(
        `${kind.name}: seed ${SEED}, ${NUM_RUNS} histories, ${resumes} resumes, ${gaps} gaps`,
      )
      if (!kind.rotates) expect(gaps).toBe(0)
      expect(resumes).toBeGreaterThan(NUM_RUNS / 2)
    }, 600_000)
  }
})
