import { expect, test } from "bun:test"
import { readLast } from "../../src/logapi/last.ts"
import type { RecordSource } from "../../src/logapi/source.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { StreamName } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"

const SLACK = { first: 16, most: 1_024 }
const { signal } = new AbortController()
const options = { signal, isOver: async () => false }

/** A log of a runtime that cuts lines anywhere. Also says how many records were asked for. */
function sourceOf(said: readonly (readonly [StreamName, string])[]) {
  const records = said.map(([stream, text], index): LogRecord => {
    const ended = text.endsWith("\n")
    const timestamp = toInstant(BigInt(index + 1))
    return { stream, timestamp, text: ended ? text.slice(0, -1) : text, ended }
  })
  const asked: number[] = []
  const source: RecordSource = {
    rules: { partsShareTime: false, crlf: false, limitBytes: 1_048_576 },
    repeats: false,
    running: async () => true,
    async *open({ tail = records.length }) {
      asked.push(tail)
      yield records.slice(Math.max(0, records.length - tail))
    },
  }
  return { source, asked }
}

const out = (count: number) =>
  Array.from({ length: count }, (_, at) => ["stdout", `${at}\n`] as const)

async function lastOf(said: readonly (readonly [StreamName, string])[], lines = 10) {
  const { source, asked } = sourceOf(said)
  const last = await readLast(source, { from: "last", lines, where: () => true }, SLACK, options)
  return { messages: last.lines.map(({ message }) => message), asked }
}

test("a line whose writer was held up comes whole, whatever the other stream said meanwhile", async () => {
  for (const between of [0, 5, 100, 800]) {
    const before = [...out(5_000), ["stderr", "before\n"], ["stderr", "he"]] as const
    const { messages } = await lastOf([...before, ...out(between), ["stderr", "llo\n"], ...out(8)])
    expect(messages.at(-9)).toBe("hello")
  }
})

test("a log of one stream, or of two that are heard of often, is not read further back", async () => {
  expect((await lastOf(out(5_000))).asked).toEqual([26])
  const both = Array.from({ length: 2_500 }, () => [...out(1), ["stderr", "x\n"] as const]).flat()
  expect((await lastOf(both)).asked).toEqual([26])
})

test("a stream that is hardly ever heard of costs a bounded look", async () => {
  const { messages, asked } = await lastOf([...out(50_000), ["stderr", "at last\n"], ...out(3)])
  expect(messages).toHaveLength(10)
  expect(messages.at(-4)).toBe("at last")
  expect(asked).toEqual([26, 74, 266, 1_034])
})
