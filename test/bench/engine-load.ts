/** What clients of a live stream cost the engine: its processor time while nobody reads, and while many do. */
import { table } from "./figures.ts"
import { cpuSeconds } from "./process.ts"
import type { Service } from "./service.ts"
import { readStream } from "./sse.ts"

const CLIENTS = 10
const SECONDS = 5

export interface EngineLoadOptions {
  /** Of a container that writes all the time. */
  readonly app: string
  /** Process id. */
  readonly daemon: number
  readonly services: Readonly<Record<string, Service>>
}

/** The report, to print. */
export async function measureEngineLoad(options: EngineLoadOptions): Promise<string> {
  const { app, daemon, services } = options
  const share = async () => {
    const before = cpuSeconds(daemon)
    await Bun.sleep(SECONDS * 1000)
    return `${(((cpuSeconds(daemon) - before) / SECONDS) * 100).toFixed(1)} %`
  }
  const rows = [
    ["", "dockerd"],
    ["nobody reads", await share()],
  ]
  for (const [source, { socket }] of Object.entries(services)) {
    let over = false
    const path = `/api/apps/${app}/logs/stream`
    const clients = Array.from({ length: CLIENTS }, () => readStream(socket, path, () => over))
    rows.push([`${CLIENTS} streams by ${source}`, await share()])
    over = true
    await Promise.all(clients)
  }
  return table(rows)
}
