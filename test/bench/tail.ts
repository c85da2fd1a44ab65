/** How long the last lines of a large log take, as a client sees it. */
import { median, spread, verdict } from "./figures.ts"
import type { Service } from "./service.ts"

const LINES = 100
const TIMES = 50
const GOAL_MS = 10

/** The report, to print. */
export async function measureTail(services: Readonly<Record<string, Service>>, app: string) {
  const report: string[] = []
  for (const [source, { socket }] of Object.entries(services)) {
    const times: number[] = []
    for (let time = 0; time < TIMES; time++) {
      const begun = performance.now()
      const answer = await fetch(`http://localhost/api/apps/${app}/logs?tail=${LINES}`, {
        unix: socket,
      })
      const lines = (await answer.text()).split("\n").length - 1
      times.push(performance.now() - begun)
      if (lines !== LINES) throw new Error(`${lines} lines came`)
    }
    const met = verdict(median(times) < GOAL_MS)
    report.push(`  by ${source}: ${spread(times, 1)} ms, under ${GOAL_MS} ms ${met}`)
  }
  return report.join("\n")
}
