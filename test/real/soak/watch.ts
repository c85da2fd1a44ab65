/** Watches a running applogs: its memory all the time, its open files at the start and at the end. */
import type { Applogs } from "../e2e/applogs.ts"
import { idleConnections } from "../e2e/runtime.ts"
import { until } from "../sandbox.ts"
import { type Sample, slopePerHour } from "./trend.ts"

const MEGABYTE = 1024 * 1024
/** Enough for a slope, however long it takes. */
const SAMPLES = 1_000

export class Watch implements Disposable {
  readonly #applogs: Applogs
  readonly #began = performance.now()
  readonly #samples: Sample[] = []
  readonly #filesAtStart: number
  readonly #timer: ReturnType<typeof setInterval>

  constructor(applogs: Applogs, durationMs: number) {
    this.#applogs = applogs
    this.#filesAtStart = applogs.usage().files.length
    this.#timer = setInterval(
      () => {
        const at = performance.now() - this.#began
        this.#samples.push({ at, value: applogs.usage().memory / MEGABYTE })
      },
      Math.max(500, durationMs / SAMPLES),
    )
  }

  /** Of the memory, from then on when the heap has grown to its size. */
  memory(warmUpMs: number): string {
    const samples = this.#samples.filter(({ at }) => at >= warmUpMs)
    const megabytes = samples.map(({ value }) => value)
    const [least, most] = [Math.min(...megabytes), Math.max(...megabytes)]
    const range = `${least.toFixed(0)} to ${most.toFixed(0)} MB`
    return `memory ${range}, ${slopePerHour(samples).toFixed(1)} MB/h behind the warm-up`
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
