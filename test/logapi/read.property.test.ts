/**
 * The heart of the promise: over random histories, cut anywhere and resumed, no line is lost or doubled in
 * silence. Histories have equal times, clocks that step back, long lines whose parts interleave with the other
 * stream's, lines without an end, and rotation while nobody looks.
 */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type HistoryOptions, type Step, steps, Writer } from "./history.ts"
import { ModelLog } from "./model.ts"
import { readInPieces } from "./reader.ts"

const HISTORIES = Number(Bun.env["HISTORIES"] ?? 100_000)
const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))

interface Kind extends HistoryOptions {
  readonly name: string
  readonly sticky: boolean
}

const KINDS: readonly Kind[] = [
  { name: "equal times", sticky: true, stepsBack: false, rotates: false },
  { name: "clocks that step back", sticky: true, stepsBack: true, rotates: false },
  { name: "rotation while away", sticky: true, stepsBack: false, rotates: true },
  { name: "clocks that step back, and rotation", sticky: true, stepsBack: true, rotates: true },
  { name: "an engine before 24", sticky: false, stepsBack: false, rotates: true },
]

interface Outcome {
  gaps: number
  resumes: number
  blocks: number
}

async function play(history: readonly Step[], kind: Kind, outcome: Outcome): Promise<void> {
  const log = new ModelLog(kind.sticky)
  // An old engine drops what is stamped two seconds before the time it is to begin at, even behind newer records.
  const writer = new Writer(log, kind.sticky)
  const { gaps, resumes, blocks } = await readInPieces(log, writer, history, kind)
  outcome.gaps += gaps
  outcome.resumes += resumes
  outcome.blocks += blocks
}

describe("a log read in pieces through an API", () => {
  for (const kind of KINDS) {
    const { name } = kind
    test(`comes whole, with ${name}`, async () => {
      const outcome: Outcome = { gaps: 0, resumes: 0, blocks: 0 }
      const numRuns = Math.ceil(HISTORIES / KINDS.length)
      await fc.assert(
        fc.asyncProperty(steps(kind), (history) => play(history, kind, outcome)),
        { numRuns, seed: SEED },
      )
      console.log(
        `${name}: seed ${SEED}, ${numRuns} histories, ${outcome.resumes} resumes, ${outcome.gaps} gaps, ` +
          `${outcome.blocks} lines in blocks`,
      )
      if (!kind.rotates) expect(outcome.gaps).toBe(0)
      expect(outcome.resumes).toBeGreaterThan(numRuns / 2)
      expect(outcome.blocks).toBeGreaterThan(numRuns / 10)
    }, 600_000)
  }
})
