/** Wherever a read begins, it gives exactly what the contract says, and goes on from there without a loss. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { readLog } from "../../src/logapi/read.ts"
import type { Line, Start } from "../../src/runtime.ts"
import { shift } from "../../src/time.ts"
import { HISTORIES, SEED } from "./histories.ts"
import { type HistoryOptions, type Step, steps, Writer } from "./history.ts"
import { ModelLog } from "./model.ts"
import { CutReader, TUNING } from "./reader.ts"
import { Reception } from "./reception.ts"

interface Kind extends HistoryOptions {
  readonly name: string
  readonly sticky: boolean
}

const KINDS: readonly Kind[] = [
  { name: "clocks that step back", sticky: true, stepsBack: true, rotates: false },
  { name: "rotation", sticky: true, stepsBack: false, rotates: true },
  { name: "an engine before 24", sticky: false, stepsBack: false, rotates: true },
]

const NUM_RUNS = Math.ceil(HISTORIES / 25)

/** How a log is read: how many records come at once, and how many are looked at for the heads of lines. */
const ways = fc.record({ chunk: fc.constantFrom(1, 2, 5, 100), slack: fc.constantFrom(4, 64) })

/** The time of a line, or close to it. */
const times = fc.record({ line: fc.nat(), by: fc.bigInt({ min: -2n, max: 2n }) })

/** Which lines are wanted. */
const filters = fc.constantFrom<(line: Line) => boolean>(
  () => true,
  ({ stream }) => stream === "stderr",
  ({ message }) => message.length > 4,
  () => false,
)

/** The first half of the history is written when the reader begins. */
function begin(history: readonly Step[], log: ModelLog, writer: Writer) {
  const write = (step: Step) => {
    if (step.do === "record") writer.record(step)
    else if (step.do === "stop") writer.stop()
    else if (step.do === "rotate") log.rotate(Math.floor(step.share * log.records.length))
  }
  const half = Math.floor(history.length / 2)
  history.slice(0, half).forEach(write)
  return async (reader: CutReader) => {
    for (const step of [
      ...history.slice(half),
      { do: "stop" },
      { do: "read", take: 1e3 },
    ] as const) {
      if (step.do === "read") await reader.read(step.take)
      else write(step)
    }
  }
}

async function readAll(log: ModelLog, start: Start, slack: number) {
  const lines: Line[] = []
  let position = ""
  const options = { follow: false, signal: new AbortController().signal }
  for await (const batch of readLog(log, start, options, { ...TUNING, slack })) {
    if (batch.gap) throw new Error("a gap without a reason")
    lines.push(...batch.lines)
    position = batch.position
  }
  return { lines, position }
}

async function check<T>(name: string, property: fc.IAsyncProperty<T>): Promise<void> {
  await fc.assert(property, { numRuns: NUM_RUNS, seed: SEED })
  console.log(`${name}: seed ${SEED}, ${NUM_RUNS} histories`)
}

for (const kind of KINDS) {
  describe(`a log with ${kind.name}, read`, () => {
    test("from a time: from the first line that is stamped later", async () => {
      const property = fc.asyncProperty(
        steps(kind),
        ways,
        times,
        async (history, { chunk, slack }, { line, by }) => {
          const log = new ModelLog(kind.sticky, chunk)
          const writer = new Writer(log, false)
          const play = begin(history, log, writer)
          const time = writer.lines[line % Math.max(1, writer.lines.length)]?.time
          if (!time) return
          const start: Start = { from: "time", after: shift(time, by) }
          const reception = new Reception(log, writer)
          await play(new CutReader(log, reception, start, { ...TUNING, slack }))
        },
      )
      await check(`from a time, ${kind.name}`, property)
    }, 600_000)

    test("up to a cut, and then from there: every line once", async () => {
      const property = fc.asyncProperty(
        steps(kind),
        ways,
        times,
        async (history, { chunk, slack }, { line, by }) => {
          const log = new ModelLog(kind.sticky, chunk)
          const writer = new Writer(log, kind.sticky)
          const play = begin(history, log, writer)
          const time = writer.lines[line % Math.max(1, writer.lines.length)]?.time
          if (!time) return
          const cut = shift(time, by)
          const reception = new Reception(log, writer)
          const start: Start = { from: "beginning" }
          const reader = new CutReader(log, reception, start, { ...TUNING, slack })
          await reader.read(1e3, cut)
          await play(reader)
        },
      )
      await check(`up to a cut, ${kind.name}`, property)
    }, 600_000)

    test("from the end: what is written from then on", async () => {
      const property = fc.asyncProperty(steps(kind), ways, async (history, { chunk, slack }) => {
        const log = new ModelLog(kind.sticky, chunk)
        const writer = new Writer(log, kind.sticky)
        const play = begin(history, log, writer)
        const reception = new Reception(log, writer, { slack })
        await play(new CutReader(log, reception, { from: "end" }, { ...TUNING, slack }))
      })
      await check(`from the end, ${kind.name}`, property)
    }, 600_000)

    test("from the last lines that match: these, and then all that follows", async () => {
      const property = fc.asyncProperty(
        steps(kind),
        ways,
        fc.nat(6),
        filters,
        async (history, { chunk, slack }, lines, where) => {
          const log = new ModelLog(kind.sticky, chunk)
          const writer = new Writer(log, kind.sticky)
          const play = begin(history, log, writer)
          if (writer.spread > slack) return
          const all = await readAll(log, { from: "beginning" }, slack)
          const fit = all.lines.filter(where).map(({ message }) => message)
          const start: Start = { from: "last", lines, where }
          const last = await readAll(log, start, slack)
          expect(last.lines.map(({ message }) => message)).toEqual(
            fit.slice(Math.max(0, fit.length - lines)),
          )
          const reception = new Reception(log, writer, { slack })
          reception.expectStart({ from: "end" })
          const rest: Start = { from: "position", position: last.position }
          await play(new CutReader(log, reception, rest, { ...TUNING, slack }))
        },
      )
      await check(`the last lines, ${kind.name}`, property)
    }, 600_000)
  })
}
