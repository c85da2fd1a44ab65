import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { LogReadError, type LogRecord } from "../../src/records/record.ts"
import { TtyDecoder } from "../../src/records/tty.ts"
import { decode, stamp } from "./wire.ts"

const PART = 16_384

/** How an engine logs what a terminal says: parts of 16 KiB, each with its line's time. */
function logLine(line: string, timestamp: string, end: "\n" | "" = "\n"): string {
  let body = ""
  let rest = line
  // A full buffer is written out, even if the line feed is the next byte.
  for (; rest.length >= PART; rest = rest.slice(PART)) {
    body += `${timestamp} ${toStored(rest.slice(0, PART))}`
  }
  return `${body}${timestamp} ${toStored(rest)}${end}`
}

/** Engines keep text: each byte that is not UTF-8 becomes U+FFFD, three bytes. */
function toStored(bytes: string): string {
  return Buffer.from(Buffer.from(bytes, "latin1").toString("utf8")).toString("latin1")
}

/** The lines that records make. */
function join(records: readonly LogRecord[]): string[] {
  const lines: string[] = []
  let line = ""
  for (const { text, ended } of records) {
    line += text
    if (!ended) continue
    lines.push(line)
    line = ""
  }
  return line === "" ? lines : [...lines, line]
}

const lengths = [0, 1, PART - 2, PART - 1, PART, PART + 1, 3 * PART - 1, 3 * PART, 3 * PART + 1]

describe("the log of a terminal", () => {
  for (const length of lengths) {
    test(`gives a line of ${length} bytes whole, and the lines around it`, () => {
      const lines = ["before\r", `${"x".repeat(length)}\r`, "", "after\r"]
      const body = lines.map((line, at) => logLine(line, stamp(at))).join("")
      const { records, error } = decode(new TtyDecoder(), body)
      expect(error).toBeUndefined()
      expect(join(records)).toEqual(lines)
      expect(records.every(({ stream }) => stream === "stdout")).toBe(true)
      const said = records.map(
        (record) => `${record.timestamp} ${record.text}${record.ended ? "\n" : ""}`,
      )
      expect(said.join("")).toBe(body)
    })
  }

  test("gives the same lines wherever it is cut", () => {
    const lines = ["one\r", `${"y".repeat(2 * PART + 5)}\r`, "z".repeat(PART), "\r", "end\r"]
    const body = lines.map((line, at) => logLine(line, stamp(at))).join("")
    const whole = decode(new TtyDecoder(), body)
    expect(join(whole.records)).toEqual(lines)
    const places = fc.array(fc.nat(body.length), { maxLength: 30 })
    fc.assert(
      fc.property(places, (cuts) => {
        expect(join(decode(new TtyDecoder(), body, cuts).records)).toEqual(lines)
      }),
      { numRuns: 300 },
    )
    // At every byte around the place where one part ends and the next begins.
    const second = body.indexOf(stamp(1), body.indexOf(stamp(1)) + 1)
    for (let at = second - 35; at < second + 35; at++) {
      expect(join(decode(new TtyDecoder(), body, [at]).records)).toEqual(lines)
    }
  })

  test("gives short lines as soon as they end, whatever the pieces", () => {
    const decoder = new TtyDecoder()
    const records: LogRecord[] = []
    for (const byte of `${stamp(1)} a\r\n${stamp(2)} b`) decoder.push(byte, records)
    expect(records).toMatchObject([{ text: "a\r", ended: true, timestamp: stamp(1) }])
    decoder.push("\r\n", records)
    expect(records).toMatchObject([{ text: "a\r" }, { text: "b\r", timestamp: stamp(2) }])
  })

  test("finds the parts of a line whose bytes were replaced, so that they are longer", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3 * PART), { maxLength: 40 }), (spoilt) => {
        const bytes = Buffer.alloc(3 * PART + 100, "a")
        for (const at of spoilt) bytes[at] = 0xff
        const line = bytes.toString("latin1")
        const { records } = decode(new TtyDecoder(), logLine(`${line}\r`, stamp(7)))
        expect(join(records)).toEqual([`${toStored(line)}\r`])
      }),
      { numRuns: 200 },
    )
  })

  test("takes times that a program prints for what they are: text", () => {
    const forged = `${stamp(99)} forged `
    const lines = [
      `${forged}\r`,
      `${forged.repeat(2_000)}\r`,
      `${"x".repeat(PART)}${forged}${"x".repeat(PART)}\r`,
      `${"x".repeat(PART - 31)}${forged}\r`,
    ]
    const body = lines.map((line, at) => logLine(line, stamp(at))).join("")
    expect(join(decode(new TtyDecoder(), body).records)).toEqual(lines)
  })

  test("keeps a line without an end for when the body is over", () => {
    for (const line of ["torn", "x".repeat(PART + 3)]) {
      const body = logLine("before\r", stamp(1)) + logLine(line, stamp(2), "")
      const { records } = decode(new TtyDecoder(), body)
      expect(join(records)).toEqual(["before\r", line])
      expect(records.at(-1)?.ended).toBe(false)
    }
  })

  test("is refused without a time, and when a record has no end", () => {
    const noTime = decode(new TtyDecoder(), "Error grabbing logs: EOF\n")
    expect(noTime.error?.message).toBe("a log record does not begin with a time")
    const before: LogRecord[] = []
    const decoder = new TtyDecoder()
    const line = logLine("good\r", stamp(1))
    expect(() => decoder.push(line + stamp(2) + " ".repeat(1_100_000), before)).toThrow(
      LogReadError,
    )
    expect(before).toHaveLength(1)
  })

  test("of ten megabytes without a line feed comes in any pieces without being read over and over", () => {
    const body = logLine("x".repeat(10_000_000), stamp(1))
    const pieces = Array.from({ length: body.length / 100 }, (_, at) => at * 100)
    const { records } = decode(new TtyDecoder(), body, pieces)
    expect(join(records).map((line) => line.length)).toEqual([10_000_000])
  })
})
