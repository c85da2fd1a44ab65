/** Watches a running applogs: its memory now and then, its open files at the start and at the end. */
import type { Applogs } from "../e2e/applogs.ts"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { idleConnections } from "../e2e/runtime.ts"
import { until } from "../sandbox.ts"
import { lowest, type Sample, slopePerHour } from "./trend.ts"

const toMegabytes = (bytes: number) => bytes / 1024 / 1024

/** Some of what is in work at a collection is no garbage yet: the lowest of each sixtieth of the time shows what stays. */
const FLOORS = 60

/** The environment of the applogs that is watched, which collects its garbage and writes down what is left there. */
export function collecting(path: string): Record<string, string> {
  return {
    BUN_OPTIONS: `--preload=${join(import.meta.dirname, "collect-fixture.ts")}`,
    SOAK_MEMORY: path,
  }
}

export class Watch {
  readonly #applogs: Applogs
  readonly #path: string
  readonly #durationMs: number
  readonly #began = Date.now()
  readonly #filesAtStart: number

  /** `path`: as given to `collecting`. */
  constructor(applogs: Applogs, path: string, durationMs: number) {
    this.#applogs = applogs
    this.#path = path
    this.#durationMs = durationMs
    this.#filesAtStart = applogs.usage().files.length
  }

  /** Of the memory, from then on when the heap has grown to its size until the time is over. */
  memory(warmUpMs: number): string {
    const rows = readFileSync(this.#path, "utf8").trimEnd().split("\n")
    const behind = rows
      .map((row) => row.split(" ").map(Number) as [number, number, number, number])
      .map(([time, ...bytes]) => [time - this.#began, ...bytes.map(toMegabytes)])
      .filter(([at = 0]) => at >= warmUpMs && at < this.#durationMs)
    const column = (index: number) =>
      behind.map((row): Sample => ({ at: row[0] ?? 0, value: row[index] ?? 0 }))
    const growth = (index: number) => {
      const floors = lowest(column(index), this.#durationMs / FLOORS)
      const { slope, error } = slopePerHour(floors)
      const told = floors.map(({ value }) => value.toFixed(0)).join(" ")
      return `${slope.toFixed(1)} MB/h (standard error ${error.toFixed(1)}): ${told}`
    }
    const most = Math.max(...column(1).map(({ value }) => value))
    return (
      `behind the warm-up, memory of ${most.toFixed(0)} MB at most; its floor grows by ${growth(2)}\n` +
      `of that, what the heap holds grows by ${growth(3)}\n`
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
}
