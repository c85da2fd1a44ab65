/**
 * Loaded into the applogs that is watched. Full collections come ten minutes apart, and tens of megabytes wait for
 * them, which would hide whether anything stays: here all garbage is collected every ten seconds, and what memory is
 * left at that moment is written down, as it lasts for a tenth of a second.
 */
import { heapStats } from "bun:jsc"
import { appendFileSync } from "node:fs"

const EVERY_MS = 10_000

const path = process.env["SOAK_MEMORY"] ?? ""

/** A line: when, in milliseconds since the epoch; bytes resident behind it; bytes on the heap. */
function collect(): void {
  Bun.gc(true)
  const figures = [Date.now(), process.memoryUsage.rss(), heapStats().heapSize]
  appendFileSync(path, `${figures.join(" ")}\n`)
}

setInterval(collect, EVERY_MS).unref()
