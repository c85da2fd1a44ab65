/** One client that reads nothing for a while, of an app that writes fast: what it costs the service and the others. */
import type { LogSource } from "../../src/runtime.ts"
import type { PrivateDocker } from "../real/docker.ts"
import { Crowd } from "./crowd.ts"
import { table, verdict, whole } from "./figures.ts"
import { signal, startGatedWriter } from "./gate.ts"
import { peakMegabytes, resetPeak } from "./process.ts"
import { Service } from "./service.ts"

const GOAL_MB = 16
const RATE = 5_000
const READERS = 3

/** Seconds that all read before, in which the heap finds its size, and that are written after. */
const BEFORE = 60
const AFTER = 10

/** A machine that is slow gets so much more time. */
const GRACE_MS = 120_000

/** The report, to print. */
export async function measureStopped(
  docker: PrivateDocker,
  sources: readonly LogSource[],
  seconds: number,
): Promise<string> {
  const before = ["p99 ms before", "peak MB before"]
  const during = ["p99 ms meanwhile", "peak MB meanwhile"]
  const after = ["p99 ms after", "peak MB after", "the rest read in s"]
  const rows = [["", ...before, ...during, ...after, "its lines", "lost", "doubled", "reordered"]]
  const verdicts: string[] = []
  for (const source of sources) {
    const { row, growth, complete, others } = await measure(docker, source, seconds)
    rows.push([`by ${source}`, ...row])
    const met = [
      `it has every line once and in order ${verdict(complete)}`,
      `the others too ${verdict(others)}`,
      `growth meanwhile ${growth.toFixed(1)} MB, under ${GOAL_MB} ${verdict(growth < GOAL_MB)}`,
    ]
    verdicts.push(`  by ${source}: ${met.join(", ")}`)
  }
  return [table(rows), ...verdicts].join("\n")
}

async function measure(docker: PrivateDocker, source: LogSource, seconds: number) {
  const app = `stopped-${source}`
  const lines = RATE * (BEFORE + seconds + AFTER)
  const id = await startGatedWriter(docker, app, { rate: RATE, lines })
  await using service = await Service.start(docker, source)
  const { pid, socket } = service
  const request = `GET /api/apps/${app}/logs/stream HTTP/1.1`
  await using one = await Crowd.open({ socket, request, clients: 1, lines })
  await using others = await Crowd.open({ socket, request, clients: READERS, lines })
  /** Until so many seconds' lines have come to the others: how late, and what the service had in memory at most. */
  const phase = async (end: number) => {
    await others.figures(true)
    resetPeak(pid)
    const { delays } = await others.until(
      ({ behind }) => behind >= RATE * end,
      seconds * 1000 + GRACE_MS,
    )
    return { p99: delays.p99, peak: peakMegabytes(pid) }
  }
  await signal(docker, id)
  const before = await phase(BEFORE)
  one.stop()
  const during = await phase(BEFORE + seconds)
  one.resume()
  const resumed = performance.now()
  const [after, readIn] = await Promise.all([
    phase(BEFORE + seconds + AFTER),
    one
      .until(({ behind }) => behind >= RATE * (BEFORE + seconds), GRACE_MS)
      .then(() => (performance.now() - resumed) / 1000),
  ])
  const figures = await one.until(({ complete }) => complete === 1, GRACE_MS)
  const peak = peakMegabytes(pid)
  const { complete } = await others.figures()
  await docker.removeContainer(id)
  const { count, lost, doubled, reordered } = figures
  const cells = [before.p99, before.peak, during.p99, during.peak, after.p99, peak]
  return {
    row: [
      ...cells.map((cell) => cell.toFixed(0)),
      readIn.toFixed(1),
      ...[count, lost, doubled, reordered].map(whole),
    ],
    growth: during.peak - before.peak,
    complete: figures.complete === 1,
    others: complete === READERS,
  }
}
