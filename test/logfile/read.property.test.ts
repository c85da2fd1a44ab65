/** The histories of `test/logapi`, with a log that stands in files: what is true of the one is true of the other. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { HISTORIES, SEED } from "../logapi/histories.ts"
import { type HistoryOptions, type Step, steps, Writer } from "../logapi/history.ts"
import { CutReader } from "../logapi/reader.ts"
import { Reception } from "../logapi/reception.ts"
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

async function play(
  history: readonly Step[],
  kind: Kind,
): Promise<[gaps: number, resumes: number]> {
  using log = new FiledLog()
  const writer = new Writer(log)
  const reception = new Reception(log, writer)
  const reader = new CutReader(log, reception, { from: "beginning" })
  for (const step of [...history, { do: "stop" }, { do: "read", take: 1_000 }] as const) {
    if (step.do === "record") writer.record(step)
    else if (step.do === "stop") writer.stop()
    else if (step.do === "rotate") log.rotate(Math.floor(step.share * log.records.length))
    else await reader.read(step.take)
  }
  if (!kind.rotates) {
    expect(reception.torn.toSorted()).toEqual(writer.torn.map(({ message }) => message).toSorted())
  }
  return [reception.gaps, reader.resumes]
}

describe("a log read in pieces from its files", () => {
  for (const kind of KINDS) {
    test(`comes whole, with ${kind.name}`, async () => {
      let [gaps, resumes] = [0, 0]
      const property = fc.asyncProperty(steps(kind), async (history) => {
        const counts = await play(history, kind)
        gaps += counts[0]
        resumes += counts[1]
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
