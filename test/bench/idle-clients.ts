/** What very many clients cost while nothing is written, and how soon all of them have a line. */
import type { LogSource } from "../../src/runtime.ts"
import type { PrivateDocker } from "../real/docker.ts"
import { usageOf } from "../real/e2e/proc.ts"
import { openLogs } from "../real/open-logs.ts"
import { Crowd } from "./crowd.ts"
import { quantile, table, verdict, whole } from "./figures.ts"
import { signal, startTeller } from "./gate.ts"
import { cpuSeconds, residentMegabytes, watches } from "./process.ts"
import { Service } from "./service.ts"

const GOAL = { kilobytes: 12, follows: 1, ms: 1_000 }

/** Written one after the other, each when all have got the one before. */
const LINES = 3

/** How long nothing is written, while the processor's time is taken. */
const IDLE_S = 5

/** A line that has not come by then is not waited for. */
const PATIENCE_MS = 60_000

interface Idle {
  readonly opened: number
  readonly refusal: string
  readonly openedIn: number
  readonly kilobytes: number
  readonly cpu: number
  /** What the service holds open, and what the engine does for it. */
  readonly files: number
  readonly watches: number
  readonly engineReads: number
  readonly connections: number
  /** Until all had the line; NaN if some never had. */
  readonly ms: readonly number[]
}

/** The report, to print. */
export async function measureIdle(
  docker: PrivateDocker,
  sources: readonly LogSource[],
  clients: number,
): Promise<string> {
  const head = ["", "clients", "opened in s", "KB a client", "CPU %"]
  const held = ["log files", "watches", "engine's reads", "engine connections"]
  const rows = [[...head, ...held, "a line to all, ms"]]
  const goals: string[] = []
  for (const source of sources) {
    const idle = await measure(docker, source, clients)
    const follows = idle.files + idle.engineReads
    const slowest = quantile(idle.ms, 1)
    rows.push([
      `by ${source}`,
      whole(idle.opened),
      idle.openedIn.toFixed(1),
      idle.kilobytes.toFixed(1),
      idle.cpu.toFixed(0),
      whole(idle.files),
      whole(idle.watches),
      whole(idle.engineReads),
      whole(idle.connections),
      idle.ms.map((ms) => ms.toFixed(0)).join(", "),
    ])
    const met = [
      `all opened ${verdict(idle.opened === clients)}${idle.refusal && ` (${idle.refusal})`}`,
      `${GOAL.kilobytes} KB a client ${verdict(idle.kilobytes <= GOAL.kilobytes)}`,
      `one follow of the log ${verdict(follows <= GOAL.follows)}`,
      `a line to all under ${whole(GOAL.ms)} ms ${verdict(slowest < GOAL.ms)}`,
    ]
    goals.push(`  by ${source}: ${met.join(", ")}`)
  }
  return [table(rows), ...goals].join("\n")
}

async function measure(docker: PrivateDocker, source: LogSource, clients: number): Promise<Idle> {
  const app = `idle-${source}`
  const id = await startTeller(docker, app)
  await using service = await Service.start(docker, source, clients + 1)
  const { pid, socket } = service
  const request = `GET /api/apps/${app}/logs/stream HTTP/1.1`
  // What the first client of all brings about is no other client's.
  const first = await Crowd.open({ socket, request, clients: 1, lines: LINES })
  await first[Symbol.asyncDispose]()
  const base = residentMegabytes(pid)
  const begun = performance.now()
  await using crowd = await Crowd.open({ socket, request, clients, lines: LINES })
  const openedIn = (performance.now() - begun) / 1000
  const { opened, refusal } = await crowd.figures()
  const before = cpuSeconds(pid)
  await Bun.sleep(IDLE_S * 1000)
  const cpu = ((cpuSeconds(pid) - before) / IDLE_S) * 100
  const kilobytes = ((residentMegabytes(pid) - base) * 1000) / opened
  const held = {
    files: openLogs(pid),
    watches: watches(pid),
    engineReads: docker.inUse(),
    connections: usageOf(pid).engineConnections,
  }
  const ms: number[] = []
  for (let line = 1; line <= LINES; line++) {
    await crowd.figures(true)
    await signal(docker, id)
    const all = await crowd.until(({ behind }) => behind >= line, PATIENCE_MS)
    ms.push(all.behind >= line ? all.delays.most : Number.NaN)
    if (all.behind < line) break
  }
  await docker.removeContainer(id)
  return { opened, refusal, openedIn, kilobytes, cpu, ...held, ms }
}
