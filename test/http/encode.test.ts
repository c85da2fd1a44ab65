import { describe, expect, test } from "bun:test"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import fc from "fast-check"
import { Failure } from "../../src/errors.ts"
import { encodeNdjson, encodeNdjsonLine } from "../../src/http/ndjson.ts"
import { encodeSse, SSE_HELLO } from "../../src/http/sse.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import { AT, CURSOR, DATABASE, makeLine, makeLog, makeMember, WEB } from "./fakes.ts"
import { hostile } from "./hostile.ts"

const failure = new Failure("runtime_unavailable", "it is down")
const others: StreamEvent[] = [
  { type: "status", member: WEB, state: "exited", exitCode: 137, at: AT, cursor: CURSOR },
  { type: "status", member: WEB, state: "started", at: AT, cursor: CURSOR },
  { type: "status", state: "down", at: AT, cursor: CURSOR },
  { type: "gap", member: DATABASE, reason: "rotated", from: AT, to: AT, cursor: CURSOR },
  { type: "gap", reason: "malformed_cursor", cursor: CURSOR },
  { type: "ping", at: AT, lagMs: 12, cursor: CURSOR },
  { type: "problem", failure, requestId: "id-1", cursor: "" },
  { type: "end", reason: "shutdown", retryable: true, cursor: CURSOR },
]
const payloads = [
  { service: "web", container: "shop-web-1", state: "exited", exitCode: 137, at: AT },
  { service: "web", container: "shop-web-1", state: "started", at: AT },
  { service: null, container: null, state: "down", at: AT },
  { service: "needs-postgres", reason: "rotated", from: AT, to: AT },
  { service: null, reason: "malformed_cursor", from: null, to: null },
  { at: AT, lagMs: 12 },
  {
    type: "urn:applogs:problem:runtime_unavailable",
    title: "The container runtime does not answer",
    status: 503,
    detail: "it is down",
    instance: "urn:uuid:id-1",
    code: "runtime_unavailable",
    requestId: "id-1",
  },
  { reason: "shutdown", retryable: true },
]

describe("SSE", () => {
  test("a line is its id, its name, and right after it one line of data, in the promised order", () => {
    expect(encodeSse(makeLog("hello"), false)).toBe(
      `id: ${CURSOR}\nevent: log\ndata: {"service":"web","stream":"stdout","timestamp":"${AT}",` +
        `"message":"hello","isNeeds":false}\n\n`,
    )
  })

  test("verbose adds the container, last; a piece of a line says that it is one", () => {
    const line = { ...makeLine("x", "stderr"), partial: true } as const
    const event: StreamEvent = { type: "log", member: DATABASE, line, cursor: CURSOR }
    expect(encodeSse(event, true)).toBe(
      `id: ${CURSOR}\nevent: log\ndata: {"service":"needs-postgres","stream":"stderr",` +
        `"timestamp":"${AT}","message":"x","isNeeds":true,"partial":true,` +
        `"container":"shop-needs-postgres-1"}\n\n`,
    )
  })

  test("other events have their names and their fields", () => {
    for (const [index, event] of others.entries()) {
      const id = event.cursor === "" ? "" : `id: ${CURSOR}\n`
      const json = JSON.stringify(payloads[index])
      const told = encodeSse(event, false).replace(/\nretry: [1-4]\d{3}\n\n$/, "\n\n")
      expect(told).toBe(`${id}event: ${event.type}\ndata: ${json}\n\n`)
    }
  })

  test("clients whose streams were ended come back spread over four seconds; one that may not is told no time", () => {
    const end = { type: "end", reason: "shutdown", cursor: CURSOR } as const
    const times = Array.from({ length: 200 }, () => {
      const [, ms] = /\nretry: (\d+)\n\n$/.exec(encodeSse({ ...end, retryable: true }, false)) ?? []
      return Number(ms)
    })
    expect(Math.min(...times)).toBeWithin(1_000, 2_000)
    expect(Math.max(...times)).toBeWithin(4_000, 5_000)
    expect(encodeSse({ ...end, retryable: false }, false)).not.toContain("retry:")
  })

  test.each(["a\nb", "a\rb", "a\0b"])("the cursor %j cannot be an id", (cursor) => {
    expect(() => encodeSse(makeLog("x", cursor), false)).toThrow("cannot be an SSE id")
  })

  test("whatever a container writes or is called is one event, with the same payload, to every parser", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (message, service, name) => {
        const member = makeMember(service, undefined, name)
        const events = [makeLog(message, CURSOR, member), makeLog("after it", "v1.next")]
        const bytes = new TextEncoder().encode(events.map((e) => encodeSse(e, true)).join(""))
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
        const expected = [
          {
            id: CURSOR,
            event: "log",
            data: {
              service,
              stream: "stdout",
              timestamp: AT,
              message,
              isNeeds: false,
              container: name,
            },
          },
          { id: "v1.next", event: "log", data: expect.objectContaining({ message: "after it" }) },
        ]
        expect(parseWithLibrary(text)).toEqual(expected)
        expect(parseBySpec(text)).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })

  test("the first words are no event, and set the time to reconnect", () => {
    expect(parseWithLibrary(SSE_HELLO)).toEqual([])
    expect(parseBySpec(SSE_HELLO)).toEqual([])
    let retry = 0
    const parser = createParser({ onRetry: (value) => (retry = value) })
    parser.feed(SSE_HELLO)
    expect(retry).toBe(2000)
  })
})

describe("NDJSON", () => {
  test("a line is the same object as in SSE; verbose adds container and cursor", () => {
    const line = `{"service":"web","stream":"stdout","timestamp":"${AT}","message":"hello","isNeeds":false`
    expect(encodeNdjson(makeLog("hello"), false)).toBe(`${line}}\n`)
    expect(encodeNdjson(makeLog("hello"), true)).toBe(
      `${line},"container":"shop-web-1","cursor":"${CURSOR}"}\n`,
    )
    const memberLine = { member: WEB, line: makeLine("hello") }
    expect(encodeNdjsonLine(memberLine, false)).toBe(`${line}}\n`)
    expect(encodeNdjsonLine(memberLine, true)).toBe(`${line},"container":"shop-web-1"}\n`)
  })

  test("any other event is one object, told by its field event", () => {
    for (const [index, event] of others.entries()) {
      const head = { event: event.type, cursor: event.cursor || null }
      expect(encodeNdjson(event, false)).toBe(
        `${JSON.stringify({ ...head, ...payloads[index] })}\n`,
      )
    }
  })

  test("whatever a container writes is one line", () => {
    fc.assert(
      fc.property(hostile, (message) => {
        const text = encodeNdjson(makeLog(message), false)
        expect(text.indexOf("\n")).toBe(text.length - 1)
        expect(JSON.parse(text)).toEqual(expect.objectContaining({ message }))
      }),
      { numRuns: 2000 },
    )
  })
})

function parseWithLibrary(text: string) {
  const events: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError(error) {
      throw error
    },
  })
  parser.feed(text)
  return events.map(({ id, event, data }) => ({ id, event, data: JSON.parse(data) as unknown }))
}

/** The HTML standard's "interpreting an event stream", word by word. */
function parseBySpec(text: string) {
  const events: { id: string; event: string; data: unknown }[] = []
  let id = ""
  let event = ""
  let buffer = ""
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === "") {
      if (buffer !== "") events.push({ id, event, data: JSON.parse(buffer.replace(/\n$/, "")) })
      buffer = ""
      event = ""
      continue
    }
    const colon = line.indexOf(":")
    if (colon === 0) continue
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "event") event = value
    else if (field === "data") buffer += `${value}\n`
    else if (field === "id" && !value.includes("\0")) id = value
  }
  return events
}
