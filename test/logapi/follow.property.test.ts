/**
 * A log that is followed while it grows: over connections that end anywhere, with or without an error, over stops
 * and starts and rotation, every line comes once, and it comes without a reader that asks again.
 */
import { describe, expect, jest, test } from "bun:test"
import fc from "fast-check"
import { Failure } from "../../src/errors.ts"
import { LogReadError } from "../../src/records/record.ts"
import type { Start } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"
import { elapse, fakeTime, settle } from "./fake-time.ts"
import { Follower } from "./follower.ts"
import { HISTORIES, SEED } from "./histories.ts"
import { type HistoryOptions, oneStep, type Step, Writer } from "./history.ts"
import { ModelLog } from "./model.ts"
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

/** What happens beside the writing. */
const events = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: "nothing" } as const) },
  /** Promises settle, but no time passes: what waits for time does not go on. */
  { weight: 3, arbitrary: fc.constant({ do: "settle" } as const) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant({ do: "calm" } as const) },
  { weight: 2, arbitrary: fc.constant({ do: "cut" } as const) },
  { weight: 1, arbitrary: fc.constant({ do: "fail" } as const) },
  { weight: 1, arbitrary: fc.constant({ do: "break" } as const) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), back: fc.nat(5) }) },
)

type Event = typeof events extends fc.Arbitrary<infer E> ? E : never

const starts = fc.oneof(
  fc.constant<Start>({ from: "beginning" }),
  fc.constant<Start>({ from: "end" }),
  fc.nat(5).map((lines): Start => ({ from: "last", lines, where: () => true })),
  fc.integer({ min: -5, max: 30 }).map((ns): Start => {
    return { from: "time", after: toInstant(100_000_000_000n + BigInt(ns)) }
  }),
)

interface Outcome {
  gaps: number
  resumes: number
  lines: number
}

async function play(
  history: readonly (readonly [Step, Event, boolean])[],
  start: Start,
  kind: Kind,
  outcome: Outcome,
): Promise<void> {
  const log = new ModelLog(kind.sticky)
  const writer = new Writer(log, kind.sticky && start.from !== "time")
  const reception = new Reception(log, writer, { slack: 4 })
  const reader = new Follower(log, reception, start)
  const late: Step[] = []
  const write = (step: Step) => {
    if (step.do === "record") writer.record(step)
    else if (step.do === "stop") writer.stop()
    else if (step.do === "rotate") log.rotate(Math.floor(step.share * log.records.length))
    else reader.come()
  }
  // A late step is taken when the engine is next asked: between two requests of one read.
  const catchUp = () => late.splice(0).forEach(write)
  log.onOpen = catchUp
  try {
    for (const [step, event, isLate] of history) {
      if (isLate) late.push(step)
      else write(step)
      if (event.do === "settle") await settle()
      else if (event.do === "wait") await elapse(event.ms)
      else if (event.do === "cut") log.cut()
      else if (event.do === "fail") log.cut(new LogReadError("it failed"))
      else if (event.do === "break") log.cut(new Failure("runtime_unavailable", "it broke"))
      else if (event.do === "leave") reader.leave(event.back)
      else if (event.do === "calm") {
        await elapse(30_000)
        reader.check()
        if (reader.reading && log.alive) reception.finish()
      }
      reader.check()
    }
    catchUp()
    writer.stop()
    await elapse(30_000)
    reader.come()
    await elapse(30_000)
    reader.check()
    if (reader.reading) throw new Error("the read did not end, though the container has stopped")
    reception.finish()
    expect(log.following).toBe(0)
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    reader.leave(0)
    jest.clearAllTimers()
  }
  outcome.gaps += reception.gaps
  outcome.resumes += reader.resumes
  outcome.lines += reception.lines
}

describe("a log followed through an API", () => {
  fakeTime()
  for (const kind of KINDS) {
    test(`comes whole, with ${kind.name}`, async () => {
      const outcome: Outcome = { gaps: 0, resumes: 0, lines: 0 }
      const history = fc.array(fc.tuple(oneStep(kind), events, fc.boolean()), {
        minLength: 3,
        maxLength: 40,
        size: "max",
      })
      await fc.assert(
        fc.asyncProperty(history, starts, (steps, start) => play(steps, start, kind, outcome)),
        { numRuns: NUM_RUNS, seed: SEED },
      )
      const { lines, resumes, gaps } = outcome
      console.log(
        `followed, ${kind.name}: seed ${SEED}, ${NUM_RUNS} histories, ${lines} lines, ${resumes} resumes, ${gaps} gaps`,
      )
      if (!kind.rotates) expect(gaps).toBe(0)
      expect(resumes).toBeGreaterThan(NUM_RUNS / 4)
    }, 600_000)
  }
})
