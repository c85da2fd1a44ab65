/**
 * This host's clock, held against the newest lines and containers: what is ahead of it was written before the clock
 * was set back. The lines are really read, so that it also shows whether they can be.
 */
import { describe } from "../../logfmt.ts"
import type { Container, Runtime } from "../../runtime.ts"
import { type Instant, now, shift } from "../../time.ts"
import { type Finding, ok, warn, within } from "./finding.ts"

/** Of so many containers, the newest line is read. */
const SAMPLE = 10

const READ_MS = 3_000

/** An engine stamps a line in its own time, and the list was made before it. */
const TOLERANCE_NS = 1_000_000_000n

interface Seen {
  readonly what: string
  readonly at: Instant
}

export async function* examineClock(
  runtime: Runtime,
  containers: readonly Container[],
): AsyncGenerator<Finding, void> {
  const sample = containers.filter(isReadable).toSorted(byState).slice(0, SAMPLE)
  const seen: Seen[] = containers.map(({ name, createdAt }) => ({
    what: `the container ${name}`,
    at: createdAt,
  }))
  const reads = await Promise.allSettled(sample.map((container) => newestLine(runtime, container)))
  for (const [index, read] of reads.entries()) {
    const name = sample[index]?.name ?? ""
    if (read.status === "rejected") yield warn("logs", `${name}: ${describe(read.reason)}`)
    else if (read.value) seen.push({ what: `the newest line of ${name}`, at: read.value })
  }
  const ahead = seen.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]
  if (ahead === undefined) return
  if (ahead.at <= shift(now(), TOLERANCE_NS)) {
    yield ok("clock", "nothing is ahead of it")
    return
  }
  const found = `${ahead.what} is of ${ahead.at}, ahead of this host's clock`
  const remedy =
    "see to the clock (timedatectl); until then, resume by cursors: since= passes over lines"
  yield warn("clock", found, remedy)
}

function isReadable({ state, guarantee }: Container): boolean {
  return guarantee.level !== "unreadable" && state !== "created"
}

/** Those that run write the newest lines. */
function byState(a: Container, b: Container): number {
  return Number(b.state === "running") - Number(a.state === "running")
}

function newestLine(runtime: Runtime, container: Container): Promise<Instant | undefined> {
  return within(READ_MS, async (signal) => {
    const start = { from: "last", lines: 1, where: () => true } as const
    let newest: Instant | undefined
    for await (const { lines } of runtime.read(container, start, { follow: false, signal })) {
      newest = lines.at(-1)?.timestamp ?? newest
    }
    return newest
  })
}
