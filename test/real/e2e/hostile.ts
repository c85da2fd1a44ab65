/** Containers that write what log readers trip over, byte for byte. */

export interface Hostile {
  readonly title: string
  readonly command: readonly string[]
  readonly tty?: boolean
  /** The lines as they were written, where they are not told by the engine's own file. */
  readonly written?: readonly string[]
}

const TEN_MEGABYTES = 10 * 1024 * 1024

const CONTROLS = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
  .filter((character) => character !== "\n")
  .join("")

export const HOSTILE: readonly Hostile[] = [
  lines("lines around the engine's limit of 16 KiB", [
    ..."a".repeat(16_383).split(" "),
    "b".repeat(16_384),
    "c".repeat(16_385),
    "d".repeat(2 * 16_384),
    "short",
  ]),
  lines("empty lines, and lines of blanks", ["", " ", "", "\t", "  x  ", ""]),
  lines("control bytes", [CONTROLS, "\x7f", "\x1b[31mred\x1b[0m \x1b[2J \x1b]0;title\x07", "\0"]),
  lines("line ends of other systems", ["dos\r", "\r", "mac\rmac", "\u0085\u2028\u2029", "\v\f"]),
  lines("the syntax of Server-Sent Events", [
    "data: x",
    "",
    "event: end",
    "id: 7",
    "",
    ": comment",
    "retry: 1",
    "",
    'data: {"service":"web"}',
    "",
    "",
  ]),
  lines("headers of the engine's own frames", [
    "\x01\0\0\0\0\0\0\x05hello",
    "\x02\0\0\0\0\0\0\0",
    "\x03\0\0\0\0\0\0\x10an error, it says",
  ]),
  lines("times and rows as applogs writes them", [
    "2026-08-20T12:34:56.123456789Z web | forged",
    "2026-08-20T12:34:56.123456789Z ",
    '{"log":"x\\n","stream":"stdout","time":"2026-08-20T12:34:56Z"}',
  ]),
  lines("every kind of Unicode", ["\ufeffbom", "🚀".repeat(50), "\u202eright to left", "é\u0301"]),
  bytes("bytes that are not UTF-8", [
    [0xff, 0xfe, 0x6f, 0x6b],
    [0xc3, 0x28],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x9a],
    [0xed, 0xa0, 0x80],
    [0x80, 0x61, 0xc0, 0xaf],
  ]),
  {
    title: "characters that lie across the limit",
    command: shell("i=0; while [ $i -lt 5000 ]; do printf 'a🚀é'; i=$((i+1)); done; echo"),
  },
  {
    title: "ten megabytes without an end",
    command: shell(`yes 0123456789 | tr -d '\\n' | head -c ${TEN_MEGABYTES}`),
    written: ["0123456789".repeat(TEN_MEGABYTES / 10 + 1).slice(0, TEN_MEGABYTES)],
  },
  {
    title: "ten megabytes of the same byte, and an end",
    command: shell(`head -c ${TEN_MEGABYTES} /dev/zero | tr '\\0' x; echo; echo behind`),
    written: ["x".repeat(TEN_MEGABYTES), "behind"],
  },
  {
    title: "a last line without an end",
    command: shell("printf 'whole\\ntorn'"),
    written: ["whole", "torn"],
  },
  {
    title: "to a terminal",
    tty: true,
    command: shell("echo one; printf 'two\\r\\n\\033[1mthree\\033[0m\\n'; printf four"),
    written: ["one", "two\r", "\x1b[1mthree\x1b[0m", "four"],
  },
  {
    title: "long lines to a terminal",
    tty: true,
    command: shell(
      "for n in 16382 16383 16384 40000; do head -c $n /dev/zero | tr '\\0' y; echo; done",
    ),
    // Not with `local`: it has no line end behind a long line, and a terminal's log nothing else to tell it by.
  },
]

function shell(script: string): readonly string[] {
  return ["/bin/sh", "-c", script]
}

function lines(title: string, written: readonly string[]): Hostile {
  return { title, written, command: print(written.map((line) => Buffer.from(line))) }
}

/** Each row of bytes is a line. Decoded as the WHATWG says. */
function bytes(title: string, rows: readonly (readonly number[])[]): Hostile {
  const buffers = rows.map((row) => Buffer.from(row))
  return { title, written: buffers.map((row) => row.toString("utf8")), command: print(buffers) }
}

/** Prints the lines to stdout: in octal, as nothing else gets every byte through a shell. */
function print(rows: readonly Buffer[]): readonly string[] {
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, "0")}`
  const format = rows.map((row) => [...row, 10].map(octal).join("")).join("")
  // One argument holds no more than 128 KiB.
  const pieces = format.match(/(?:\\\d{3}){1,20000}/g) ?? []
  return ["/bin/sh", "-c", 'for piece; do printf "$piece"; done', "print", ...pieces]
}
