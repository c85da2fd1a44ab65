import { describe, expect, test } from "bun:test"
import { createObserve, type Observe, observeNothing } from "../src/observe.ts"

function observing(level: "error" | "warn" | "info" | "debug" = "info") {
  const lines: string[] = []
  return { observe: createObserve({ level, write: (line) => void lines.push(line) }), lines }
}

async function samplesOf(observe: Observe): Promise<string[]> {
  const { body } = await observe.metrics()
  return body.split("\n").filter((line) => line.startsWith("applogs_"))
}

describe("own log lines", () => {
  test("are left out above the level", () => {
    const { observe, lines } = observing("warn")
    observe.log("error", "first")
    observe.log("warn", "second", { reason: new Error("why") })
    observe.log("info", "third")
    expect(lines.map((line) => line.replace(/^time=\S+Z /, ""))).toEqual([
      "level=error event=first\n",
      "level=warn event=second reason=why\n",
    ])
  })
})

describe("metrics", () => {
  test("count what they are told", async () => {
    const { observe } = observing()
    observe.sent(3, 120)
    observe.sent(1, 40)
    observe.read("file", 5)
    observe.read("api", 2)
    observe.read("file", 1)
    observe.gap("rotated")
    observe.gap("rotated")
    observe.replay()
    observe.runtimeUp(true)
    const drop = observe.ring(() => 300)
    observe.ring(() => 12)
    observe.ring(() => 1_000_000)()
    observe.follower()
    observe.follower()()
    observe.runtimeError("list")
    observe.request("/api/apps", 200, 0.003)
    observe.request("none", 401)
    observe.lag(0.02)
    const samples = await samplesOf(observe)
    drop()
    expect(await samplesOf(observe)).toContain("applogs_ring_bytes 12")
    // Of the histograms, the first bucket that has something.
    const isPlain = (sample: string) => !/seconds_/.test(sample)
    const first = (name: string) =>
      samples.find((each) => each.startsWith(`${name}_bucket`) && !each.endsWith(" 0"))
    const shown = [
      ...samples.filter(isPlain),
      first("applogs_request_duration_seconds"),
      first("applogs_lag_seconds"),
    ]
    expect(shown).toEqual([
      "applogs_lines_sent_total 4",
      "applogs_bytes_sent_total 160",
      'applogs_lines_read_total{source="file"} 6',
      'applogs_lines_read_total{source="api"} 2',
      'applogs_gaps_total{reason="rotated"} 2',
      "applogs_replays_total 1",
      "applogs_streams_open 0",
      "applogs_followers 1",
      "applogs_ring_bytes 312",
      "applogs_runtime_up 1",
      'applogs_runtime_errors_total{operation="list"} 1',
      'applogs_requests_total{route="/api/apps",status="200"} 1',
      'applogs_requests_total{route="none",status="401"} 1',
      'applogs_request_duration_seconds_bucket{le="0.005",route="/api/apps"} 1',
      'applogs_lag_seconds_bucket{le="0.05"} 1',
    ])
  })

  test("count a stream as open until it has ended, and no end of it twice", async () => {
    const { observe } = observing()
    const endFirst = observe.stream()
    const endSecond = observe.stream()
    endFirst()
    endFirst()
    expect(await samplesOf(observe)).toContain("applogs_streams_open 1")
    endSecond()
    expect(await samplesOf(observe)).toContain("applogs_streams_open 0")
  })

  test("are of this observer alone, and tell of the process", async () => {
    observing().observe.replay()
    const { body, contentType } = await observing().observe.metrics()
    expect(contentType).toStartWith("text/plain")
    expect(body).toContain("applogs_replays_total 0\n")
    expect(Number(/process_resident_memory_bytes (\d+)/.exec(body)?.[1])).toBeGreaterThan(1_000_000)
    expect(Number(/process_open_fds (\d+)/.exec(body)?.[1])).toBeGreaterThan(0)
    const start = Number(/process_start_time_seconds (\d+)/.exec(body)?.[1])
    expect(Date.now() / 1000 - start).toBeWithin(-1, 3_600)
  })

  test("may be left out altogether", async () => {
    observeNothing.log("error", "nothing")
    observeNothing.stream()()
    expect((await observeNothing.metrics()).body).toBe("")
  })
})
