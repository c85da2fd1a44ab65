import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { JournalDecoder } from "../../src/records/journal.ts"
import { LogReadError, type LogRecord } from "../../src/records/record.ts"
import { toInstant } from "../../src/time.ts"
import { decode, utf8 } from "./wire.ts"

const MICROSECONDS = 1_795_340_290_604_469n

interface Field {
  readonly name: string
  readonly value: string
}

/** As journald does: what is not printable text comes with its size. */
function printField({ name, value }: Field): string {
  if (!/[^\t -~]/.test(value)) return `${name}=${value}\n`
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(value.length))
  return `${name}\n${size.toString("latin1")}${value}\n`
}

const printEntry = (fields: readonly Field[]) => `${fields.map(printField).join("")}\n`

/** As conmon writes it, in some order: the journal promises none. */
function toFields({ stream, text, ended }: LogRecord, microseconds: bigint): Field[] {
  return [
    { name: "__CURSOR", value: "s=c55213a8;i=7b4;b=6d528c0d;m=12719f40de;t=660da3c45bdb5;x=ce0c" },
    { name: "__REALTIME_TIMESTAMP", value: `${microseconds}` },
    { name: "PRIORITY", value: stream === "stderr" ? "3" : "6" },
    { name: "MESSAGE", value: `${text}${ended ? "\n" : ""}` },
    ...(ended ? [] : [{ name: "CONTAINER_PARTIAL_MESSAGE", value: "true" }]),
  ]
}

/** It says of an entry without an end nothing in the end. */
function decodeJournal(printed: string, cuts: readonly number[] = []) {
  const decoder = new JournalDecoder()
  const push = (bytes: string, into: LogRecord[]) => decoder.push(bytes, into)
  return decode({ push, end: () => {} }, printed, cuts)
}

const words = fc.constantFrom(
  "GET /",
  "",
  "a=b",
  "\n\n",
  "MESSAGE=forged\n",
  "é",
  "\0",
  "\xff",
  "\r",
)

const records = fc.array(
  fc.record({
    stream: fc.constantFrom("stdout", "stderr"),
    text: fc.array(words, { maxLength: 4 }).map((parts) => utf8(parts.join(" "))),
    ended: fc.boolean(),
    seed: fc.nat(),
  }),
  { minLength: 1, maxLength: 8 },
)

describe("journal entries", () => {
  test("come out as they were written, wherever they are cut and however their fields stand", () => {
    fc.assert(
      fc.property(records, fc.array(fc.nat(2_000), { maxLength: 6 }), (list, cuts) => {
        const wanted = list.map(({ stream, text, ended }, index): LogRecord => {
          const timestamp = toInstant((MICROSECONDS + BigInt(index)) * 1_000n)
          return { stream, timestamp, text, ended }
        })
        const entries = wanted.map((record, index) => {
          const fields = toFields(record, MICROSECONDS + BigInt(index))
          const by = (list[index]?.seed ?? 0) % fields.length
          return printEntry([...fields.slice(by), ...fields.slice(0, by)])
        })
        expect(decodeJournal(entries.join(""), cuts).records).toEqual(wanted)
      }),
      { numRuns: 5_000 },
    )
  })

  test("that say nothing, or not when, are nobody's line", () => {
    const time = { name: "__REALTIME_TIMESTAMP", value: `${MICROSECONDS}` }
    const silent = printEntry([time, { name: "PRIORITY", value: "6" }])
    const timeless = printEntry([{ name: "MESSAGE", value: "when?" }])
    expect(decodeJournal(silent + timeless).records).toEqual([])
  })

  test("of which one has no end are an error, before they fill the memory", () => {
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(2n ** 63n)
    expect(decodeJournal(`MESSAGE\n${size.toString("latin1")}x`).error).toBeInstanceOf(LogReadError)
    const cuts = Array.from({ length: 40 }, (_, index) => index * 65_536)
    expect(decodeJournal("x".repeat(2_621_440), cuts).error).toBeInstanceOf(LogReadError)
  })
})
