/** Everything an app has ever written, in every format: as the engine stored it, merged by time. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import type { StoredLine } from "../stored.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { Follower } from "./follower.ts"
import { describeReal, startRuntime } from "./runtime.ts"

const SERVICES = { web: 120_000, db: 80_000 } as const
const LINES = SERVICES.web + SERVICES.db

/** Half of the lines to each stream, both at once. */
const COUNT = `trap exit TERM; half=$(($1 / 2))
  seq 1 $half | sed 's/^/line /' & seq $half $(($1 - 1)) | sed 's/^/line /' >&2; wait
  sleep 600 & wait`

interface Line extends StoredLine {
  readonly service: string
  readonly isNeeds: boolean
}

describeReal(`${LINES} lines of two stopped containers`, () => {
  let real: PrivateRuntime
  let applogs: Applogs
  /** By container. */
  let lanes: readonly (readonly Line[])[]
  /** In the order in which they are to come. */
  let lines: readonly Line[]

  beforeAll(async () => {
    real = await startRuntime()
    const ids = await Promise.all(
      Object.entries(SERVICES).map(([service, count]) => {
        const name = `bulk-${service}`
        const labels = {
          "applogs.app": "bulk",
          "applogs.service": service,
          ...(service === "db" && { "applogs.needs": "postgres" }),
        }
        return real.run({
          name,
          labels,
          command: ["/bin/sh", "-c", COUNT, "count", String(count)],
        })
      }),
    )
    // Not every runtime stores all that a container writes just before it ends: these wait for it.
    const isStored = () => ids.reduce((sum, id) => sum + real.storedEnds(id), 0) >= LINES
    await until(isStored, { what: "all lines to be stored" })
    await Promise.all(ids.map((id) => real.stopContainer(id)))
    const [web = [], db = []] = ids.map((id) => real.storedLines(id))
    lanes = [
      db.map((line) => ({ ...line, service: "needs-postgres", isNeeds: true })),
      web.map((line) => ({ ...line, service: "web", isNeeds: false })),
    ]
    lines = mergeByTime(lanes)
    applogs = await startApplogs(real)
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  test("are all there", () => {
    expect(lines).toHaveLength(LINES)
  })

  for (const format of ["text", "json", "ndjson"] as const) {
    test(`tail=all as ${format} is what the engine stored`, async () => {
      const began = performance.now()
      const body = await applogs.getText(`/api/apps/bulk/logs?tail=all&format=${format}`)
      const took = (performance.now() - began) / 1000
      console.log(`${LINES} lines as ${format}: ${took.toFixed(1)} s, ${memory()}`)
      expectSame(format === "json" ? textOf(body) : body, lines.map(ENCODE[format]).join(""))
    })
  }

  test("tail=all as a stream is what the engine stored", async () => {
    const began = performance.now()
    const follower = new Follower(applogs, "bulk", "tail=all&includeNeeds=true")
    await follower.connect()
    await follower.readUntil(() => follower.lines.length >= LINES, `${LINES} lines`)
    follower.cut()
    const took = (performance.now() - began) / 1000
    console.log(`${LINES} lines as SSE: ${took.toFixed(1)} s, ${memory()}`)
    expectSame(
      follower.lines.map((line) => `${line.timestamp} ${line.service} ${line.message}\n`).join(""),
      lines.map((line) => `${line.timestamp} ${line.service} ${line.message}\n`).join(""),
    )
  })

  test("the last 10000 are the last of both, and filters act before tail", async () => {
    const last = await applogs.getText("/api/apps/bulk/logs?tail=10000&format=ndjson")
    expectSame(last, lines.slice(-10_000).map(ENCODE.ndjson).join(""))
    const query = "tail=50&grep=77&stream=stderr&includeNeeds=false&format=ndjson"
    const filtered = await applogs.getText(`/api/apps/bulk/logs?${query}`)
    const passing = lines.filter(
      ({ service, stream, message }) =>
        service === "web" && stream === "stderr" && message.includes("77"),
    )
    expectSame(filtered, passing.slice(-50).map(ENCODE.ndjson).join(""))
  })

  test("since and until cut out what lies between, to the nanosecond", async () => {
    const since = lines[50_000]?.timestamp ?? ""
    const last = lines[60_000]?.timestamp ?? ""
    const query = `since=${since}&until=${last}&tail=all&format=ndjson`
    const between = await applogs.getText(`/api/apps/bulk/logs?${query}`)
    // From each container's first later line on, whatever is stamped behind it. Lines are cut out before they are
    // merged: of two streams a little out of order, one that is left out makes none wait.
    const wanted = lanes.map((lane) => {
      const first = lane.findIndex(({ timestamp }) => timestamp > since)
      return (first < 0 ? [] : lane.slice(first)).filter(({ timestamp }) => timestamp <= last)
    })
    expectSame(between, mergeByTime(wanted).map(ENCODE.ndjson).join(""))
  })

  function memory(): string {
    return `${(applogs.usage().memory / 2 ** 20).toFixed(0)} MB resident`
  }
})

/** The encodings as the contract has them. */
const ENCODE = {
  text: ({ timestamp, service, message }: Line) =>
    `${timestamp} ${service.padEnd("needs-postgres".length)} | ${message}\n`,
  json: (line: Line): string => ENCODE.text(line),
  ndjson: ({ service, stream, timestamp, message, isNeeds }: Line) =>
    `${JSON.stringify({ service, stream, timestamp, message, isNeeds })}\n`,
}

function textOf(json: string): string {
  const { logs, truncated } = JSON.parse(json) as { logs: string; truncated: boolean }
  expect(truncated).toBe(false)
  return logs
}

/** Whichever has the earlier line at its head comes next; of two with the same time, the first. */
function mergeByTime(lanes: readonly (readonly Line[])[]): Line[] {
  const merged: Line[] = []
  const next = lanes.map(() => 0)
  for (;;) {
    let first: { lane: number; line: Line } | undefined
    for (const [lane, lines] of lanes.entries()) {
      const line = lines[next[lane] ?? 0]
      if (line && (!first || line.timestamp < first.line.timestamp)) first = { lane, line }
    }
    if (!first) return merged
    merged.push(first.line)
    next[first.lane] = (next[first.lane] ?? 0) + 1
  }
}

/** Megabytes: where they differ is said in few words. */
function expectSame(actual: string, expected: string): void {
  if (actual === expected) return
  let at = 0
  while (actual[at] === expected[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 200), at + 200)
  expect(around(actual)).toBe(around(expected))
  throw new Error(`different at ${at} of ${expected.length} characters`)
}
