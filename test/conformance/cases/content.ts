/** Whatever a container prints comes out as data, exactly: any length, any byte, any stream. */
import { expect } from "bun:test"
import type { Line } from "../../../src/runtime.ts"
import type { Case, HostContainerSpec, Output, Subject } from "../host.ts"
import {
  BEGINNING,
  END,
  expectPositions,
  facts,
  listed,
  messages,
  messagesOf,
  read,
  Reader,
} from "../reader.ts"

const RECORD = 16_384

/** Written by a container, read by `read` and by `follow`: both must say the same. */
async function written(
  subject: Subject,
  output: readonly Output[],
  spec: HostContainerSpec = {},
): Promise<readonly Line[]> {
  const made = await subject.host.create(spec)
  const container = await listed(subject, made)
  const following = new Reader(subject, container, END)
  await following.until(() => following.batches.length > 0, "the first batch")
  await made.write(output)
  await made.exit(0)
  await following.end()
  const reader = await read(subject, container, BEGINNING)
  expect(facts(following.lines)).toEqual(facts(reader.lines))
  expect(following.gaps).toEqual([])
  await expectPositions(subject, container, reader, reader.lines)
  return reader.lines
}

const out = (text: string | Uint8Array): readonly Output[] => [{ stream: "stdout", text }]

/** Lines of which pieces may have been handed over are joined again. */
function joined(lines: readonly Line[]): readonly string[] {
  const whole: string[] = []
  let pieces = ""
  for (const { message, partial } of lines) {
    pieces += message
    if (partial) continue
    whole.push(pieces)
    pieces = ""
  }
  expect(pieces).toBe("")
  return whole
}

const TEXT = [
  "data: forged",
  "event: end",
  "id: 1",
  ": comment",
  "",
  " leading and trailing blanks \t ",
  "\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\u000b\f\u000e\u001b\u007f\u0080\u009f",
  "\u001b[31mred\u001b[0m\u001b]0;title\u0007\u001b]52;c;AAAA\u001b\\",
  "\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0005hello",
  "\u0002\u0000\u0000\u0000\u00ff\u00ff",
  "2026-08-20T12:34:56.123456789Z a stamp of its own",
  "2026-08-20T12:34:56.123456789+02:00 stdout F another",
  '{"log":"line\\n","stream":"stderr","time":"2026-08-20T12:34:56Z"}',
  "a carriage\rreturn within",
  "\ufeffa byte order mark",
  "line\u2028separators\u2029 and \u0085",
  "<script>&amp;\"'\\n\\u0041",
  "äöü €uro 日本語 🙂 e\u0301 \u{10ffff}",
] as const

export const contentCases: readonly Case[] = [
  {
    name: "control bytes, SSE syntax, frame headers, stamps and markup come out as data",
    async run(subject) {
      const lines = await written(subject, out(TEXT.map((line) => `${line}\n`).join("")))
      expect(messages(lines)).toEqual([...TEXT])
      expect(new Set(lines.map(({ stream }) => stream))).toEqual(new Set(["stdout"]))
    },
  },
  {
    name: "bytes that are not UTF-8 read as U+FFFD, and nothing else changes",
    async run(subject) {
      const invalid = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f], [0xed, 0xa0, 0x80], [0x80]]
      const bytes = invalid.flatMap((some) => [0x61, ...some, 0x62, 0x0a])
      const lines = await written(subject, out(Uint8Array.from(bytes)))
      // How many for how many bytes is the runtime's affair.
      expect(messages(lines).map((message) => message.replace(/\ufffd+/, "?"))).toEqual(
        invalid.map(() => "a?b"),
      )
    },
  },
  {
    name: "empty lines are lines",
    async run(subject) {
      const lines = await written(subject, out("\n\na\n\n"))
      expect(messages(lines)).toEqual(["", "", "a", ""])
    },
  },
  {
    name: "lines around the runtime's record limit come out whole",
    async run(subject) {
      const lengths = [
        RECORD - 1,
        RECORD,
        RECORD + 1,
        2 * RECORD,
        3 * RECORD,
        8_192,
        32_768,
        65_536,
      ]
      const expected = lengths.flatMap((length, index) => [
        String.fromCharCode(97 + index).repeat(length),
        `after ${length}`,
      ])
      const lines = await written(subject, out(expected.map((line) => `${line}\n`).join("")))
      expect(messages(lines)).toEqual(expected)
      expect(lines.every(({ partial }) => partial === undefined)).toBe(true)
    },
  },
  {
    name: "a character that lies across the record limit comes out whole",
    needs: ["characters across records"],
    async run(subject) {
      const line = `${"x".repeat(RECORD - 1)}é${"y".repeat(RECORD - 3)}🙂 end`
      expect(messages(await written(subject, out(`${line}\n`)))).toEqual([line])
    },
  },
  {
    name: "a line of 1 MiB comes out whole, or in pieces that say so",
    async run(subject) {
      const line = "0123456789abcdef".repeat(65_536)
      const lines = await written(subject, out(`before\n${line}\nafter\n`))
      expect(joined(lines)).toEqual(["before", line, "after"])
      expect(new Set(lines.slice(1, -1).map(({ timestamp }) => timestamp)).size).toBe(1)
    },
  },
  {
    name: "a part of a line waits for its end while the other stream goes on",
    needs: ["two streams"],
    async run(subject) {
      const lines = await written(subject, [
        { stream: "stdout", text: "begun, " },
        { stream: "stderr", text: "between\n", delayMs: 30 },
        { stream: "stdout", text: "ended\n", delayMs: 30 },
        { stream: "stdout", text: "x".repeat(RECORD + 1_000), delayMs: 30 },
        { stream: "stderr", text: "y".repeat(RECORD + 1_000), delayMs: 30 },
        { stream: "stdout", text: "-out\n", delayMs: 30 },
        { stream: "stderr", text: "-err\nlast\n", delayMs: 30 },
      ])
      const long = (letter: string) => letter.repeat(RECORD + 1_000)
      expect(messagesOf("stdout", lines)).toEqual(["begun, ended", `${long("x")}-out`])
      expect(messagesOf("stderr", lines)).toEqual(["between", `${long("y")}-err`, "last"])
    },
  },
  {
    name: "both streams together lose no line, and keep their own order",
    needs: ["two streams"],
    async run(subject) {
      const output = Array.from({ length: 40 }, (_, number): Output => {
        return {
          stream: number % 3 === 0 ? "stderr" : "stdout",
          text: `${number} a\n${number} b\n`,
        }
      })
      const lines = await written(subject, output)
      for (const stream of ["stdout", "stderr"] as const) {
        const expected = output.flatMap((one, number) =>
          one.stream === stream ? [`${number} a`, `${number} b`] : [],
        )
        expect(messagesOf(stream, lines)).toEqual(expected)
      }
    },
  },
  {
    name: "fifty thousand short lines at once",
    async run(subject) {
      const expected = Array.from({ length: 50_000 }, (_, number) => `line ${number}`)
      const lines = await written(subject, out(`${expected.join("\n")}\n`))
      expect(messages(lines)).toEqual(expected)
    },
  },
  {
    name: "a terminal's lines lose their CRLF, and nothing else",
    needs: ["tty"],
    async run(subject) {
      const text = ["one", "", "a\rb", "\u001b[1mbold\u001b[0m", "äöü", "after"]
      const output = [
        ...out(text.map((line) => `${line}\n`).join("")),
        { stream: "stderr", text: "err\n", delayMs: 30 } as const,
      ]
      const lines = await written(subject, output, { tty: true })
      expect(messages(lines)).toEqual([...text, "err"])
      expect(new Set(lines.map(({ stream }) => stream))).toEqual(new Set(["stdout"]))
    },
  },
  {
    name: "a terminal's long lines come out whole, whatever they hold",
    needs: ["tty"],
    async run(subject) {
      const lengths = [RECORD - 2, RECORD - 1, RECORD, RECORD + 1, 3 * RECORD - 1, 3 * RECORD]
      const expected = lengths.flatMap((length, index) => [
        String.fromCharCode(97 + index).repeat(length),
        `after ${length}`,
      ])
      const text = expected.map((line) => `${line}\n`).join("")
      expect(messages(await written(subject, out(text), { tty: true }))).toEqual(expected)
    },
  },
]
