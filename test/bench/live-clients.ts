/**
 * Very many clients of one app that writes all the time, by applogs, and by what a service without it would do: a
 * reader of the engine's API for each client. Both are read by the same crowd.
 */
import type { LogSource } from "../../src/runtime.ts"
import type { PrivateDocker } from "../real/docker.ts"
import { until } from "../real/sandbox.ts"
import { Crowd, type Figures } from "./crowd.ts"
import { table, verdict, whole } from "./figures.ts"
import { signal, startGatedWriter } from "./gate.ts"
import { cpuSeconds, peakMegabytes, resetPeak } from "./process.ts"
import { Service } from "./service.ts"

const GOAL_P99_MS = 500

/** What has not come so long after it should have been written is missing. */
const GRACE_MS = 60_000

export interface LiveClientsOptions {
  readonly docker: PrivateDocker
  /** Its daemon's process id. */
  readonly daemon: number
  readonly sources: readonly LogSource[]
  readonly clients: number
  /** Lines a second. */
  readonly rate: number
  readonly seconds: number
}

/** One way for the clients to get the lines. */
interface Way {
  readonly name: string
  readonly socket: string
  readonly request: string
  readonly service?: Service
  /** The container that writes. */
  readonly id: string
}

interface Result {
  readonly name: string
  readonly figures: Figures
  /** Seconds of the processor: of applogs, the engine and the clients. */
  readonly cpu: { readonly service: number; readonly daemon: number; readonly crowd: number }
  readonly peak: { readonly service: number; readonly daemon: number }
}

/** The report, to print. */
export async function measureLiveClients(options: LiveClientsOptions): Promise<string> {
  const ours: Result[] = []
  for (const source of options.sources) ours.push(await measureOurs(options, source))
  const engine = await measureEngine(options)
  const head = ["", "streams", "came %", "lost", "at the start", "doubled", "reordered", "complete"]
  const delays = ["p50 ms", "p99 ms", "most ms", "writer s"]
  const costs = [
    "applogs CPU s",
    "dockerd CPU s",
    "clients CPU s",
    "applogs peak MB",
    "dockerd peak MB",
  ]
  const rows = [...ours, engine].map((result) => row(options, result))
  const verdicts = ours.map((result) => {
    const { complete, delays: late } = result.figures
    const all = `all complete ${verdict(complete === options.clients)}`
    return `  ${result.name}: ${all}, p99 under ${GOAL_P99_MS} ms ${verdict(late.p99 < GOAL_P99_MS)}; ${compare(engine, result)}`
  })
  return [table([[...head, ...delays, ...costs], ...rows]), ...verdicts].join("\n")
}

async function measureOurs(options: LiveClientsOptions, source: LogSource): Promise<Result> {
  const { docker, clients } = options
  const app = `crowd-${source}`
  const id = await startGatedWriter(docker, app, job(options))
  await using service = await Service.start(docker, source, clients)
  const request = `GET /api/apps/${app}/logs/stream HTTP/1.1`
  const name = `applogs by ${source}`
  return await measure(options, { name, socket: service.socket, request, service, id })
}

async function measureEngine(options: LiveClientsOptions): Promise<Result> {
  const { docker } = options
  const id = await startGatedWriter(docker, "crowd-engine", job(options))
  const path = `/containers/${id}/logs?follow=1&stdout=1&stderr=1&timestamps=1&tail=0`
  // By the older version, it sends its lines without a chunk around each: that is its cheapest.
  const request = `GET ${path} HTTP/1.0`
  return measure(options, { name: "a reader a client", socket: docker.socket, request, id })
}

function job({ rate, seconds }: LiveClientsOptions): { rate: number; lines: number } {
  return { rate, lines: rate * seconds }
}

async function measure(options: LiveClientsOptions, way: Way): Promise<Result> {
  const { docker, daemon, clients, seconds } = options
  const { name, socket, request, service, id } = way
  const { lines } = job(options)
  await using crowd = await Crowd.open({ socket, request, clients, lines })
  // The engine answers before it has opened the log: what is written in between would be lost, and by no fault.
  const following = () => service !== undefined || docker.inUse() >= clients
  await until(following, { what: "the engine to follow" }).catch((error: unknown) => {
    console.log(`  ${name}: ${String(error)}`)
  })
  const pids = { service: service?.pid, daemon, crowd: crowd.pid }
  if (service) resetPeak(service.pid)
  resetPeak(daemon)
  const before = cpuOf(pids)
  await signal(docker, id)
  const figures = await crowd.until(
    ({ complete }) => complete === clients,
    seconds * 1000 + GRACE_MS,
  )
  const after = cpuOf(pids)
  const peak = {
    service: service ? peakMegabytes(service.pid) : 0,
    daemon: peakMegabytes(daemon),
  }
  await docker.removeContainer(id)
  const cpu = {
    service: after.service - before.service,
    daemon: after.daemon - before.daemon,
    crowd: after.crowd - before.crowd,
  }
  return { name, figures, cpu, peak }
}

function cpuOf(pids: { service: number | undefined; daemon: number; crowd: number }) {
  return {
    service: pids.service === undefined ? 0 : cpuSeconds(pids.service),
    daemon: cpuSeconds(pids.daemon),
    crowd: cpuSeconds(pids.crowd),
  }
}

function row(options: LiveClientsOptions, { name, figures, cpu, peak }: Result): string[] {
  const due = job(options).lines * options.clients
  const { opened, count, lost, missedFirst, doubled, reordered, complete, delays, writtenMs } =
    figures
  return [
    name,
    whole(opened),
    ((count / due) * 100).toFixed(1),
    ...[lost, missedFirst, doubled, reordered, complete].map(whole),
    ...[delays.p50, delays.p99, delays.most].map((ms) => ms.toFixed(0)),
    (writtenMs / 1000).toFixed(1),
    ...[cpu.service, cpu.daemon, cpu.crowd].map((seconds) => seconds.toFixed(1)),
    ...[peak.service, peak.daemon].map((megabytes) => megabytes.toFixed(0)),
  ]
}

/** A line that came is what is paid for: who drops lines is not cheaper by it. */
function compare(engine: Result, ours: Result): string {
  const price = ({ cpu, figures }: Result) => (cpu.service + cpu.daemon + cpu.crowd) / figures.count
  const cpu = (price(engine) / price(ours)).toFixed(1)
  const late = (engine.figures.delays.p99 / ours.figures.delays.p99).toFixed(1)
  return `a reader a client takes ${cpu} times the CPU for a line, and ${late} times the p99`
}
