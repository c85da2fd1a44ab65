/** The end of a log in which a line's parts stand far apart. */
import { describe, expect, test } from "bun:test"
import { readLog } from "../../src/logapi/read.ts"
import type { RecordSource } from "../../src/logapi/source.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { Start } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"

/** What Podman stores of two processes that write as fast as they can: a read's worth of each stream in turn. */
const BURST = 400

function burst(stream: LogRecord["stream"]): LogRecord[] {
  const record = { stream, timestamp: toInstant(0n), text: "whole line", ended: true }
  const lines = Array.from({ length: BURST }, () => record)
  return [{ ...record, text: " line" }, ...lines, { ...record, text: "whole", ended: false }]
}

// It begins behind the first lines' ends: those have no head anywhere.
const LOG = Array.from({ length: 20 }, () => [...burst("stdout"), ...burst("stderr")])
  .flat()
  .filter((_, index) => index !== 0 && index !== BURST + 2)
  .map((record, index) => ({ ...record, timestamp: toInstant(BigInt(index)) }))

/** Of which only the first `held` records have been written yet. */
function sourceOf(held: number): RecordSource {
  const log = LOG.slice(0, held)
  return {
    rules: { partsShareTime: false, crlf: false, limitBytes: 1_000 },
    repeats: false,
    running: async () => held < LOG.length,
    async *open({ tail = held }) {
      yield log.slice(Math.max(0, held - tail))
    },
  }
}

const ALL = () => true

async function read(held: number, start: Start) {
  const options = { follow: false, signal: new AbortController().signal }
  const batches = await Array.fromAsync(readLog(sourceOf(held), start, options))
  const messages = batches.flatMap(({ lines }) => lines.map(({ message }) => message))
  return { messages, position: batches.at(-1)?.position ?? "" }
}

const isTorn = (message: string) => !message.startsWith("whole")

describe("of a log whose lines are cut anywhere", () => {
  test("the last lines have their heads, wherever the first of them stands", async () => {
    for (let lines = 1; lines < 3 * BURST; lines += 7) {
      const { messages } = await read(LOG.length, { from: "last", lines, where: ALL })
      expect(messages).toHaveLength(lines)
      expect(messages.filter(isTorn)).toEqual([])
    }
  })

  test("so have those that come behind the last ones, wherever it ended then", async () => {
    const all = (await read(LOG.length, { from: "beginning" })).messages
    for (let held = LOG.length - 3 * BURST; held < LOG.length; held += 37) {
      const before = (await read(held, { from: "beginning" })).messages
      const { position } = await read(held, { from: "last", lines: 5, where: ALL })
      const { messages } = await read(LOG.length, { from: "position", position })
      expect(messages.filter(isTorn)).toEqual([])
      expect(before.length + messages.length).toBe(all.length)
    }
  })
})
