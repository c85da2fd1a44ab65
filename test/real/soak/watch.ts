/** Watches a running applogs: its memory now and then, its open files at the start and at the end. */
import type { Applogs } from "../e2e/applogs.ts"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { idleConnections } from "../e2e/runtime.ts"
import { until } from "../sandbox.ts"
import { lowest, means, type Sample, slopePerHour } from "./trend.ts"

const toMegabytes = (bytes: number) => bytes / 1024 / 1024

/** The time is looked at in sixtieths: an hour's are minutes. Within one, memory goes up and down by tens of megabytes. */
const SPANS = 60
const SAMPLE_MS = 1_000

/** The environment of the applogs that is watched, which collects its garbage and writes down what is left there. */
export function collecting(path: string): Record<string, string> {
  return {
    BUN_OPTIONS: `--preload=${join(import.meta.dirname, "collect-fixture.ts")}`,
    SOAK_MEMORY: path,
  }
}

export class Watch implements Disposable {
  readonly #applogs: Applogs
  readonly #path: string
  readonly #durationMs: number
  readonly #began = Date.now()
  readonly #samples: Sample[] = []
  readonly #filesAtStart: number
  readonly #timer: ReturnType<typeof setInterval>

  /** `path`: as given to `collecting`. */
  constructor(applogs: Applogs, path: string, durationMs: number) {
    this.#applogs = applogs
    this.#path = path
    this.#durationMs = durationMs
    this.#filesAtStart = applogs.usage().files.length
    this.#timer = setInterval(() => {
      const value = toMegabytes(applogs.usage().memory)
      this.#samples.push({ at: Date.now() - this.#began, value })
    }, SAMPLE_MS)
  }

  /** Of the memory, from then on when the heap has grown to its size until the time is over. */
  memory(warmUpMs: number): string {
    const spanMs = this.#durationMs / SPANS
    const isBehind = ({ at }: Sample) => at >= warmUpMs && at < this.#durationMs
    const resident = this.#samples.filter(isBehind)
    const [floors, heap] = this.#left().map((samples) => lowest(samples.filter(isBehind), spanMs))
    const most = Math.max(...resident.map(({ value }) => value))
    return (
      `behind the warm-up, memory is ${most.toFixed(0)} MB at most and grows by ${growth(means(resident, spanMs))}\n` +
      `what is left of it when all garbage is collected, by ${growth(floors ?? [])}\n` +
      `what the heap holds then, by ${growth(heap ?? [])}\n`
    )
  }

  /** At each collection: what was resident, and what the heap held. */
  #left(): Sample[][] {
    const rows = readFileSync(this.#path, "utf8").trimEnd().split("\n")
    const figures = rows.map((row) => row.split(" ").map(Number))
    return [1, 2].map((column) =>
      figures.map((row) => {
        return { at: (row[0] ?? 0) - this.#began, value: toMegabytes(row[column] ?? 0) }
      }),
    )
  }

  /** Open files once all clients have left: at the start, at the end, and what may be open for the engine. */
  async files(): Promise<{ start: number; end: number; most: number }> {
    const start = this.#filesAtStart
    const most = start + idleConnections.most
    const what = "the streams and files to be closed"
    let end = 0
    const isQuiet = async () => {
      end = this.#applogs.usage().files.length
      return end <= most && (await this.#applogs.metric("applogs_streams_open")) === 0
    }
    // When they are not, the number says so.
    await until(isQuiet, { what }).catch(() => {})
    return { start, end, most }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** By how much, and of which figures. */
function growth(samples: readonly Sample[]): string {
  const { slope, error } = slopePerHour(samples)
  const told = samples.map(({ value }) => value.toFixed(0)).join(" ")
  if (Number.isNaN(error)) return `who knows: ${told}`
  return `${slope.toFixed(1)} MB/h (standard error ${error.toFixed(1)}): ${told}`
}
