import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { Failure } from "../../src/errors.ts"
import {
  readLastEventId,
  readSnapshotQuery,
  readStreamQuery,
  readVerbose,
  SnapshotWords,
  StreamWords,
} from "../../src/http/query.ts"
import { readWords } from "../../src/http/words.ts"
import { CURSOR_LIMIT, parseCursor } from "../../src/stream/cursor.ts"
import type { Instant } from "../../src/time.ts"
import { CURSOR } from "./fakes.ts"

const bounds = { now: "2026-08-20T12:00:00.000000000Z" as Instant, maxTail: 10_000 }

function readSnapshot(query: string) {
  const request = new Request(`http://localhost/?${query}`)
  return readSnapshotQuery(readWords(request, Object.keys(SnapshotWords.properties)), bounds)
}

function readStream(query: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost/?${query}`, { headers })
  const words = readWords(request, Object.keys(StreamWords.properties))
  return readStreamQuery(words, readLastEventId(request, words), bounds)
}

/** The parameter that is named as the one at fault. */
function fault(read: () => unknown): string | undefined {
  try {
    read()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.code).toBe("invalid_parameter")
    expect(error.message).toStartWith(`${error.details.parameter} `)
    return error.details.parameter
  }
  return undefined
}

function parse(text: string) {
  const parsed = parseCursor(text)
  if (!parsed) throw new Error(`${text} is no cursor`)
  return parsed
}

const cursor = parse(CURSOR)

describe("defaults", () => {
  test("a snapshot is the last hundred lines of all services", () => {
    expect(readSnapshot("")).toEqual({ includeNeeds: true, tail: 100 })
  })

  test("a stream is what comes from now on, without needs services", () => {
    expect(readStream("")).toEqual({ includeNeeds: false })
  })

  test("who names a service gets it, also if it is a needs service", () => {
    expect(readStream("service=needs-redis")).toEqual({
      includeNeeds: true,
      service: "needs-redis",
    })
    expect(readStream("service=web&includeNeeds=0")).toEqual({
      includeNeeds: false,
      service: "web",
    })
  })
})

describe("tail", () => {
  test.each([
    ["0", 0],
    ["1", 1],
    ["10000", 10_000],
    ["all", "all"],
  ] as const)("%s", (word, tail) => {
    expect(readSnapshot(`tail=${word}`).tail).toBe(tail)
    if (tail !== "all") expect(readStream(`tail=${word}`).tail).toBe(tail)
  })

  const bad = [
    "",
    "-1",
    "-0",
    "+5",
    "%2B5",
    "1.5",
    "1.0",
    "0x10",
    "1e3",
    "10001",
    "1e20",
    "9".repeat(30),
  ]
  test.each([
    ...bad,
    "007",
    "ALL",
    "NaN",
    "Infinity",
    "5%20",
    "%205",
    "٣",
    "1_000",
    "1,000",
    "null",
  ])("%p is refused by name", (word) => {
    expect(fault(() => readSnapshot(`tail=${word}`))).toBe("tail")
    expect(fault(() => readStream(`tail=${word}`))).toBe("tail")
  })

  test("all says of a stream that it begins with the first line of all", () => {
    const since = "1970-01-01T00:00:00.000000000Z"
    expect<object>(readStream("tail=all")).toEqual({ includeNeeds: false, since })
  })

  test("the refusal names the maximum", () => {
    expect(() => readSnapshot("tail=10001")).toThrow("from 0 to 10000, or all")
  })
})

describe("since and until", () => {
  test("are times; until is for snapshots alone", () => {
    const [since, until] = ["2026-08-20T11:00:00.000000000Z", "2026-08-20T11:59:00.000000000Z"]
    expect<object>(readSnapshot("since=1h&until=1m")).toMatchObject({ since, until })
    expect<object>(readStream("since=1h&until=1m")).toEqual({ includeNeeds: false, since })
  })

  test("are refused by name", () => {
    expect(fault(() => readSnapshot("since=x"))).toBe("since")
    expect(fault(() => readSnapshot("until=x"))).toBe("until")
    expect(fault(() => readStream("since=x"))).toBe("since")
  })
})

describe("includeNeeds", () => {
  const words: [word: string, value: boolean | ReadonlySet<string>][] = [
    ["includeNeeds", true],
    ["includeNeeds=", true],
    ...["true", "1", "yes", "on", "TRUE"].map((w) => [`includeNeeds=${w}`, true] as [string, true]),
    ...["false", "0", "no", "off", "No"].map(
      (w) => [`includeNeeds=${w}`, false] as [string, false],
    ),
    ["includeNeeds=postgres", new Set(["postgres"])],
    ["includeNeeds=postgres,redis", new Set(["postgres", "redis"])],
    ["includeNeeds=postgres,%20redis", new Set(["postgres", "redis"])],
  ]
  test.each(words)("%s", (query, value) => {
    expect(readSnapshot(query).includeNeeds).toEqual(value)
    expect(readStream(query).includeNeeds).toEqual(value)
  })

  test.each([",", "postgres,", "a b", "post%0dgres", "a".repeat(65), "a,".repeat(32) + "a"])(
    "%p is refused by name",
    (word) => {
      expect(fault(() => readStream(`includeNeeds=${word}`))).toBe("includeNeeds")
    },
  )
})

describe("other words", () => {
  test("service, stream and grep", () => {
    expect(readSnapshot("service=web&stream=stderr&grep=a+b%26c&tail=5")).toEqual({
      includeNeeds: true,
      service: "web",
      stream: "stderr",
      grep: "a b&c",
      tail: 5,
    })
    expect(readSnapshot("grep=").grep).toBeUndefined()
  })

  test.each([
    ["service=", "service"],
    ["stream=", "stream"],
    ["stream=STDOUT", "stream"],
    ["stream=both", "stream"],
    [`grep=${"x".repeat(1025)}`, "grep"],
  ])("%p is refused by name", (query, parameter) => {
    expect(fault(() => readSnapshot(query))).toBe(parameter)
    expect(fault(() => readStream(query))).toBe(parameter)
  })

  test("verbose is a boolean", () => {
    const read = (query: string) =>
      readVerbose(readWords(new Request(`http://localhost/?${query}`), ["verbose"]))
    expect([read(""), read("verbose"), read("verbose=off")]).toEqual([false, true, false])
    expect(fault(() => read("verbose=2"))).toBe("verbose")
  })
})

describe("where a stream starts", () => {
  const since = "2026-08-20T11:00:00.000000000Z"
  const other = "v1.zzz"
  test("Last-Event-ID wins over cursor, which wins over since, which wins over tail", () => {
    const all = `cursor=${other}&since=1h&tail=5`
    expect(readStream(all, { "Last-Event-ID": CURSOR })).toEqual({ includeNeeds: false, cursor })
    expect(readStream(all)).toEqual({ includeNeeds: false, cursor: parse(other) })
    expect<object>(readStream("since=1h&tail=5")).toEqual({ includeNeeds: false, since })
    expect(readStream("tail=5")).toEqual({ includeNeeds: false, tail: 5 })
  })

  test("a library that stands in for a browser says it in the address", () => {
    expect(readStream(`lastEventId=${CURSOR}&cursor=${other}`).cursor).toEqual(cursor)
    expect(readStream(`last_event_id=${CURSOR}&cursor=${other}`).cursor).toEqual(cursor)
    expect(readStream(`lastEventId=${other}`, { "Last-Event-ID": CURSOR }).cursor).toEqual(cursor)
    expect(readStream("lastEventId=&last_event_id=&tail=5")).toEqual({
      includeNeeds: false,
      tail: 5,
    })
  })

  const malformed = [
    "x",
    "v1",
    "v2.abc",
    `${CURSOR}.`,
    `${CURSOR}.short`,
    "v1.é",
    "x".repeat(CURSOR_LIMIT + 1),
  ]
  test.each(malformed)(
    "a cursor %p is refused; the same as Last-Event-ID starts afresh",
    (word) => {
      const encoded = encodeURIComponent(word)
      expect(fault(() => readStream(`cursor=${encoded}`))).toBe("cursor")
      expect<object>(readStream(`lastEventId=${encoded}&since=1h`)).toEqual({
        includeNeeds: false,
        cursor: "malformed",
        since,
      })
    },
  )

  test("an empty cursor is refused: it was meant to be one", () => {
    expect(fault(() => readStream("cursor="))).toBe("cursor")
  })

  test("what loses is still looked at, so that a mistake does not wait for the first reconnect", () => {
    expect(fault(() => readStream("tail=x", { "Last-Event-ID": CURSOR }))).toBe("tail")
    expect(fault(() => readStream("since=x&tail=5", { "Last-Event-ID": CURSOR }))).toBe("since")
    expect(fault(() => readStream("cursor=x", { "Last-Event-ID": CURSOR }))).toBe("cursor")
  })
})

test("any word at all gives a query or the parameter's name, and nothing else", () => {
  const names = Object.keys({ ...SnapshotWords.properties, ...StreamWords.properties })
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.string({ unit: "binary" }), (name, word) => {
      const query = `${name}=${encodeURIComponent(word.toWellFormed())}`
      for (const read of [readSnapshot, readStream]) {
        const parameter = fault(() => read(query))
        expect([undefined, name]).toContain(parameter)
      }
    }),
    { numRuns: 2000 },
  )
})
