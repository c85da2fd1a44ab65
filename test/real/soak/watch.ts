/** Watches a running applogs: its memory all the time, its open files at the start and at the end. */
import type { Applogs } from "../e2e/applogs.ts"
import { idleConnections } from "../e2e/runtime.ts"
import { until } from "../sandbox.ts"
import { lowest, type Sample, slopePerHour } from "./trend.ts"

const MEGABYTE = 1024 * 1024
/** The heap goes up and down by tens of megabytes: its floors, of an hour's minutes one each, show what stays. */
const FLOORS = 60
const SAMPLE_MS = 1_000

export class Watch implements Disposable {
  readonly #applogs: Applogs
  readonly #durationMs: number
  readonly #began = performance.now()
  readonly #samples: Sample[] = []
  readonly #filesAtStart: number
  readonly #timer: ReturnType<typeof setInterval>

  constructor(applogs: Applogs, durationMs: number) {
    this.#applogs = applogs
    this.#durationMs = durationMs
    this.#filesAtStart = applogs.usage().files.length
    this.#timer = setInterval(() => {
      const at = performance.now() - this.#began
      this.#samples.push({ at, value: applogs.usage().memory / MEGABYTE })
    }, SAMPLE_MS)
  }

  /** Of the memory, from then on when the heap has grown to its size until the time is over. */
  memory(warmUpMs: number): string {
    const samples = this.#samples.filter(({ at }) => at >= warmUpMs && at < this.#durationMs)
    const megabytes = samples.map(({ value }) => value)
    const range = `${Math.min(...megabytes).toFixed(0)} to ${Math.max(...megabytes).toFixed(0)} MB`
    const floors = lowest(samples, this.#durationMs / FLOORS)
    const { slope, error } = slopePerHour(floors)
    const told = floors.map(({ value }) => value.toFixed(0)).join(" ")
    return (
      `memory ${range} behind the warm-up; its floor grows by ${slope.toFixed(1)} MB/h ` +
      `(standard error ${error.toFixed(1)}): ${told}`
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
