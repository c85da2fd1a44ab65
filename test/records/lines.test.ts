import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type AssembledLine, LineAssembler, type LineRules } from "../../src/records/lines.ts"
import type { LogRecord } from "../../src/records/record.ts"
import type { StreamName } from "../../src/runtime.ts"
import { stamp, utf8 } from "./wire.ts"

const DOCKER: LineRules = { partBytes: 8, partsShareTime: true, crlf: false, limitBytes: 64 }
const PODMAN: LineRules = { partsShareTime: false, crlf: false, limitBytes: 64 }

function record(text: string, ended: boolean, at = 1, stream: StreamName = "stdout"): LogRecord {
  return { stream, timestamp: stamp(at), text, ended }
}

function assemble(rules: LineRules, records: readonly LogRecord[], over = true): AssembledLine[] {
  const assembler = new LineAssembler(rules)
  const lines: AssembledLine[] = []
  for (const one of records) assembler.push(one, lines)
  if (over) assembler.end(lines)
  return lines
}

const messages = (lines: readonly AssembledLine[]) => lines.map(({ message }) => message)

describe("lines", () => {
  test("are put together from parts, each stream for itself, and bear the time of their first part", () => {
    const { lines, clean } = follow(DOCKER, [
      record("aaaaaaaa", false, 1),
      record("EEEEEEEE", false, 2, "stderr"),
      record("bbbbbbbb", false, 1),
      record("err", true, 2, "stderr"),
      record("c", true, 1),
    ])
    expect(lines).toEqual([
      { stream: "stderr", timestamp: stamp(2), message: "EEEEEEEEerr", partial: false },
      { stream: "stdout", timestamp: stamp(1), message: "aaaaaaaabbbbbbbbc", partial: false },
    ])
    expect(clean).toEqual([false, false, false, false, true])
  })

  test("end where a record is short, or another time comes, though no line feed does", () => {
    expect(messages(assemble(DOCKER, [record("torn", false), record("next", true)]))).toEqual([
      "torn",
      "next",
    ])
    const two = [record("aaaaaaaa", false, 1), record("b", true, 2)]
    expect(messages(assemble(DOCKER, two))).toEqual(["aaaaaaaa", "b"])
    // Where parts are of any size and each has its own time, only a line feed ends a line.
    expect(messages(assemble(PODMAN, [record("a", false, 1), record("b", true, 2)]))).toEqual([
      "ab",
    ])
  })

  test("without an end come when the log is over, and not before", () => {
    const records = [record("aaaaaaaa", false), record("eeeeeeee", false, 2, "stderr")]
    expect(assemble(DOCKER, records, false)).toEqual([])
    expect(messages(assemble(DOCKER, records))).toEqual(["aaaaaaaa", "eeeeeeee"])
    // An empty part ends a line that is just as long as a part.
    expect(messages(assemble(DOCKER, [record("aaaaaaaa", false), record("", true)]))).toEqual([
      "aaaaaaaa",
    ])
  })

  test("of a terminal lose the carriage return before their end, one of them, and no other", () => {
    const rules = { ...DOCKER, partBytes: 16, crlf: true }
    const records = ["a\r", "\r", "b\rc\r\r", "d"].map((text) => record(text, true))
    expect(messages(assemble(rules, records))).toEqual(["a", "", "b\rc\r", "d"])
    expect(messages(assemble({ ...rules, crlf: false }, records))[0]).toBe("a\r")
  })

  test("longer than the limit come in pieces that make the line, and no piece cuts a character", () => {
    const units = fc.constantFrom("a", "ß", "€", "😀", "\u0000", "ﬀ")
    const lines = fc.array(units, { minLength: 1, maxLength: 200 }).map((list) => list.join(""))
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 12 }), fc.boolean(), (line, size, ended) => {
        const bytes = utf8(line)
        const records: LogRecord[] = []
        for (let at = 0; at < bytes.length; at += size) {
          records.push(record(bytes.slice(at, at + size), ended && at + size >= bytes.length))
        }
        const pieces = assemble({ ...PODMAN, limitBytes: 16 }, records)
        expect(messages(pieces).join("")).toBe(line)
        expect(pieces.map(({ partial }) => partial)).toEqual([
          ...Array.from({ length: pieces.length - 1 }, () => true),
          false,
        ])
        for (const { message } of pieces.slice(0, -1)) {
          expect(message).not.toContain("\ufffd")
          expect(utf8(message).length).toBeGreaterThanOrEqual(16 - 3)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test("of two streams do not mix, in whatever order their records come", () => {
    const parts = fc.array(
      fc.record({
        stream: fc.constantFrom<StreamName>("stdout", "stderr"),
        text: fc.string({ minLength: 1, maxLength: 4 }),
        ended: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(parts, (list) => {
        const records = list.map(({ stream, text, ended }) => record(text, ended, 1, stream))
        const lines = assemble(PODMAN, records)
        for (const stream of ["stdout", "stderr"] as const) {
          const alone = records.filter((one) => one.stream === stream)
          expect(lines.filter((line) => line.stream === stream)).toEqual(assemble(PODMAN, alone))
        }
      }),
    )
  })
})

function follow(rules: LineRules, records: readonly LogRecord[]) {
  const assembler = new LineAssembler(rules)
  const lines: AssembledLine[] = []
  const clean = records.map((one) => {
    assembler.push(one, lines)
    return assembler.clean
  })
  return { lines, clean }
}
