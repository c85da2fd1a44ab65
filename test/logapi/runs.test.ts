/** Which records are said to open a run, and how often the runtime is asked. */
import { describe, expect, test } from "bun:test"
import { markRuns } from "../../src/logapi/runs.ts"
import type { RecordSource } from "../../src/logapi/source.ts"
import { type Records, recordsOf } from "../../src/records/block.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { now, shift, toInstant } from "../../src/time.ts"
import { toBlocks } from "../records/blocks.ts"

const at = (seconds: number) => toInstant(BigInt(seconds) * 1_000_000_000n)

function record(seconds: number, text: string, stream: LogRecord["stream"] = "stdout"): LogRecord {
  const ended = text.endsWith("\n")
  return { stream, timestamp: at(seconds), text: text.trimEnd(), ended }
}

async function mark(batches: readonly Records[], end: number | undefined) {
  let asked = 0
  const source: RecordSource = {
    rules: { partsShareTime: false, crlf: false, limitBytes: 100 },
    repeats: false,
    running: async () => true,
    async *open() {
      yield* batches
    },
  }
  const marked = markRuns(source, async () => {
    asked++
    return end === undefined ? undefined : at(end)
  })
  const opening: string[] = []
  const { signal } = new AbortController()
  for await (const records of marked.open({ follow: false }, signal)) {
    for (const { text, opensRun } of recordsOf(records)) if (opensRun) opening.push(text)
  }
  return { asked, opening }
}

describe("a run", () => {
  test("is opened by the first record behind the end of the last one", async () => {
    const records = [record(1, "half"), record(5, "new\n"), record(6, "old news\n")]
    expect(await mark([records], 3)).toEqual({ asked: 1, opening: ["new"] })
    expect(await mark([records.slice(0, 1), records.slice(1)], 3)).toMatchObject({
      opening: ["new"],
    })
  })

  test("is opened by the first of a block", async () => {
    const records = [record(5, "new\n"), record(6, "old news\n")]
    const batches = [[record(1, "half")], ...toBlocks(records)]
    expect(await mark(batches, 3)).toEqual({ asked: 1, opening: ["new"] })
    expect(await mark(toBlocks(records), 3)).toEqual({ asked: 0, opening: [] })
  })

  test("is opened by either stream", async () => {
    const records = [record(1, "half"), record(5, "new\n", "stderr"), record(6, "rest\n")]
    expect(await mark([records], 3)).toMatchObject({ opening: ["new"] })
  })

  test("is not opened where a line goes on, before the end or behind it", async () => {
    const records = [record(1, "one "), record(2, "line\n"), record(4, "another "), record(5, "\n")]
    expect(await mark([records], 3)).toMatchObject({ opening: [] })
    expect(await mark([records], undefined)).toMatchObject({ opening: [] })
  })

  test("is not asked for where every line is whole", async () => {
    expect(await mark([[record(1, "a\n"), record(5, "b\n")]], 3)).toEqual({ asked: 0, opening: [] })
  })

  test("is asked for once for all that is old, and again for what is new", async () => {
    const old = [1, 2, 3, 4].flatMap((second) => [record(second, "."), record(second, "\n")])
    expect(await mark([old], 0)).toMatchObject({ asked: 1 })
    const timestamp = shift(now(), 60_000_000_000n)
    const fresh = [
      { ...record(0, "."), timestamp },
      { ...record(0, "\n"), timestamp },
    ]
    expect(await mark([[...old, ...fresh]], 0)).toMatchObject({ asked: 2 })
  })
})
