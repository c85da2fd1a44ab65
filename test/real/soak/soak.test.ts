/**
 * Load, clients that come and go, and faults, for a long time: `make soak` runs it for `SOAK_MINUTES`, `make test` for a
 * few seconds. Every line that the engine stored must have come to every client, once and in order.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ControlGroup, UNIT_BYTES } from "../control-group.ts"
import { type Applogs, startApplogs } from "../e2e/applogs.ts"
import { Chance, count } from "../e2e/chance.ts"
import { describeReal, keepsFiles, startRuntime } from "../e2e/runtime.ts"
import { Shop } from "../e2e/shop.ts"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import type { SequenceChecker } from "../sequence.ts"
import { nextFault } from "./faults.ts"
import { storedNumbers } from "./stored-numbers.ts"
import { judge, NO_FAULTS } from "./verdict.ts"
import { type Habit, Visitor } from "./visitor.ts"
import { collecting, Watch } from "./watch.ts"

const MINUTE = 60_000
const DURATION = Number(process.env["SOAK_MINUTES"] ?? count({ full: 60, short: 1 / 3 })) * MINUTE
const WARM_UP = Math.min(10 * MINUTE, DURATION / 6)
/**
 * At first all comes so many times as often: what only a visit or a fault runs is compiled then, and not for hours. The
 * rest of the warm-up is for what the rush has taken to be given back.
 */
const RUSH = { times: 24, for: 0.6 * WARM_UP }
/** Of the 5,000 lines/s of the shop. */
const LOAD = 0.6
/** What every client receives between two faults: in half a minute at most. */
const LINES_BETWEEN = Math.min(90_000, Math.max(1_000, (DURATION / MINUTE) * 1_500))
const HANG_MS = Math.min(20_000, DURATION / 10)
/** So many findings of a client are told: holes that the engine left are among them. */
const DETAILS = 10
/** For the beginning and the end, which reads all that was stored. */
const AROUND_MS = 2 * MINUTE + DURATION

describeReal(`a soak of ${(DURATION / MINUTE).toFixed(1)} minutes`, () => {
  let real: PrivateRuntime
  /** Lives through everything, with the memory that its unit gives it, and is watched. */
  let lasting: Applogs
  let group: ControlGroup | undefined
  /** What it writes down. */
  let memory: string
  /** Is killed and ended. */
  let mortal: Applogs
  beforeAll(async () => {
    real = await startRuntime()
    group = ControlGroup.isPossible() ? ControlGroup.make(UNIT_BYTES) : undefined
    const directory = mkdtempSync(join(tmpdir(), "applogs-soak-"))
    memory = join(directory, "memory")
    lasting = await startApplogs(
      { flags: real.flags, env: { ...real.env, ...collecting(memory) } },
      { directory, ...(group && { under: group.join }) },
    )
    mortal = await startApplogs(real)
  })
  afterAll(async () => {
    real?.thaw()
    await mortal?.[Symbol.asyncDispose]()
    await lasting?.[Symbol.asyncDispose]()
    await group?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  test(
    "of five clients and five kinds of faults: every line to each, once and in order",
    async () => {
      const chance = new Chance()
      using watch = new Watch(lasting, memory, DURATION)
      const shop = new Shop(real, "soak")
      // Rotated, and nothing thrown away: what was stored is held against at the end.
      const logOptions = keepsFiles ? { "max-size": "10m", "max-file": "1000" } : {}
      await shop.open({ load: LOAD, logOptions })
      const calm = performance.now() + RUSH.for
      const pace = () => (performance.now() < calm ? RUSH.times : 1)
      const common = { app: shop.name, chance, stallLines: LINES_BETWEEN, pace }
      const habits: readonly Habit[] = ["stay", "leave", "stall"]
      const visitors = [
        ...habits.map((habit) => new Visitor("lasting", lasting, { ...common, habit })),
        ...habits.slice(0, 2).map((habit) => new Visitor("mortal", mortal, { ...common, habit })),
      ]
      const faults = await visited(visitors, async (isOver) => {
        let happened = 0
        for (; !isOver(); happened++) {
          await everybodyGets(LINES_BETWEEN / pace(), visitors)
          const hangMs = HANG_MS / pace()
          const name = await nextFault(happened, { real, shop, mortal, chance, hangMs })
          console.log(`${name}; ${visitors[0]?.received} lines so far`)
        }
        return happened
      })
      const ids = [...shop.containers.values()]
      await Promise.all(ids.map((id) => real.stopContainer(id)))
      const stored = await storedNumbers(ids.map((id) => real.logFile(id)))
      const finished = await Promise.allSettled(visitors.map((visitor) => visitor.finish(stored)))
      const { start, end, most } = await watch.files()
      const { report, faulty } = sumUp(visitors, stored)
      console.log(
        `${faults} faults (seed ${chance.seed}), ${report}\n${watch.memory(WARM_UP)}` +
          `descriptors: ${start} at the start, ${end} at the end`,
      )
      expect(faulty).toEqual(NO_FAULTS)
      expect(finished.filter(({ status }) => status === "rejected")).toEqual([])
      expect(end).toBeLessThanOrEqual(most)
    },
    DURATION + AROUND_MS,
  )
})

/** Lets everybody visit while the work is done, which is as long as the soak; what the work gives. */
async function visited<T>(
  visitors: readonly Visitor[],
  work: (isOver: () => boolean) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + DURATION
  let over = false
  const isOver = () => over
  const elsewhere = () => visitors[0]?.received ?? 0
  const visits = Promise.all(visitors.map((visitor) => visitor.visit(isOver, elsewhere)))
  try {
    const working = work(() => performance.now() >= deadline)
    // A visitor that fails fails at once, and not when somebody has waited long enough for its lines.
    await Promise.race([working, visits])
    return await working
  } finally {
    over = true
    await visits
  }
}

/** Nobody's stream may have frozen. */
async function everybodyGets(lines: number, visitors: readonly Visitor[]): Promise<void> {
  const wanted = visitors.map(({ received }) => received + lines)
  await until(() => visitors.every(({ received }, index) => received >= (wanted[index] ?? 0)), {
    what: `${lines} more lines for everybody`,
    timeoutMs: 5 * MINUTE,
  })
}

function sumUp(visitors: readonly Visitor[], stored: SequenceChecker) {
  const faulty = { ...NO_FAULTS }
  let [received, gaps] = [0, 0]
  for (const visitor of visitors) {
    const { received: own, ...faults } = judge(visitor.checker, stored)
    for (const kind of Object.keys(faulty) as (keyof typeof faulty)[]) faulty[kind] += faults[kind]
    received += own
    gaps += visitor.gaps.length
    console.log(`  ${visitor.name}: ${own} lines, ${visitor.connects} connects`)
    const isWrong = Object.values(faults).some((number) => number > 0)
    const details = [...visitor.gaps, ...(isWrong ? visitor.checker.problems() : [])]
    for (const detail of details.slice(0, DETAILS)) console.log(`    ${detail.slice(0, 300)}`)
  }
  const counts = Object.entries({ ...faulty, gaps }).map(([kind, number]) => `${number} ${kind}`)
  return { faulty, report: `${received} lines: ${counts.join(", ")}` }
}
