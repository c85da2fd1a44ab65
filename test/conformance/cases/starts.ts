/** Where a read may begin, and that it can go on from everywhere it has been. */
import { expect } from "bun:test"
import type { Line } from "../../../src/runtime.ts"
import { type Instant, now, shift, toInstant } from "../../../src/time.ts"
import type { Case, Output, Subject } from "../host.ts"
import {
  BEGINNING,
  END,
  expectPositions,
  expectRest,
  facts,
  follow,
  listed,
  messages,
  read,
  Reader,
  until,
} from "../reader.ts"

/** Ten lines on both streams, some equal, in an order that both streams keep. */
const TEN: readonly Output[] = [
  { stream: "stdout", text: "one\ntwo\n" },
  { stream: "stderr", text: "three\n", delayMs: 10 },
  { stream: "stdout", text: "same\nsame\n", delayMs: 10 },
  { stream: "stderr", text: "same\n", delayMs: 10 },
  { stream: "stdout", text: "\n", delayMs: 10 },
  { stream: "stdout", text: `${"long ".repeat(8_000)}\n` },
  { stream: "stderr", text: "nine\n", delayMs: 10 },
  { stream: "stdout", text: "ten\n", delayMs: 10 },
]

const PAST = toInstant(0n)
const FUTURE = toInstant(4_000_000_000_000_000_000n)

async function tenLines(subject: Subject) {
  const made = await subject.host.create()
  await made.write(TEN)
  const container = await listed(subject, made)
  const reader = await read(subject, container, BEGINNING)
  expect(reader.lines).toHaveLength(10)
  return { made, container, reader, all: reader.lines }
}

/** What a start at a time is to give. */
function later(all: readonly Line[], after: Instant): readonly Line[] {
  const first = all.findIndex(({ timestamp }) => timestamp > after)
  return first < 0 ? [] : all.slice(first)
}

async function expectTimes(
  subject: Subject,
  { container, all }: Pick<Awaited<ReturnType<typeof tenLines>>, "container" | "all">,
): Promise<void> {
  const stamps = all.flatMap(({ timestamp }) => [-1n, 0n, 1n].map((ns) => shift(timestamp, ns)))
  for (const after of [PAST, ...stamps, FUTURE]) {
    const reader = await read(subject, container, { from: "time", after })
    expect(facts(reader.lines)).toEqual(facts(later(all, after)))
  }
}

export const startCases: readonly Case[] = [
  {
    name: "from the beginning: every line, and from every position exactly the rest",
    async run(subject) {
      const { container, reader, all } = await tenLines(subject)
      await expectPositions(subject, container, reader, all)
    },
  },
  {
    name: "from the beginning, followed: the same, and from every position exactly the rest",
    async run(subject) {
      const { made, container, all } = await tenLines(subject)
      const reader = new Reader(subject, container, BEGINNING)
      await reader.count(10)
      await made.write([{ stream: "stdout", text: "live\n" }, ...TEN.slice(0, 3)])
      await reader.count(16)
      reader.abort()
      await reader.end()
      expect(facts(reader.lines.slice(0, 10))).toEqual(facts(all))
      const present = await read(subject, container, BEGINNING)
      expect(facts(reader.lines)).toEqual(facts(present.lines))
      await expectPositions(subject, container, reader, present.lines)
    },
  },
  {
    name: "from the end: at once a batch without lines, then exactly what is written",
    async run(subject) {
      const { made, container } = await tenLines(subject)
      const reader = new Reader(subject, container, END)
      await reader.until(() => reader.batches.length > 0, "the first batch")
      expect(reader.batches[0]?.lines).toEqual([])
      await made.write([{ stream: "stdout", text: "new\nnewer\n" }])
      await reader.count(2)
      reader.abort()
      await reader.end()
      expect(messages(reader.lines)).toEqual(["new", "newer"])
      const [first] = reader.batches
      await expectRest(subject, container, first?.position ?? "", reader.lines)
      await expectPositions(subject, container, reader, reader.lines)
    },
  },
  {
    name: "from the end of an empty log: its position gives what is written later",
    async run(subject) {
      const made = await subject.host.create()
      const container = await listed(subject, made)
      const { batches, position } = await read(subject, container, END)
      expect(batches.flatMap(({ lines }) => lines)).toEqual([])
      await expectRest(subject, container, position, [])
      await made.write([{ stream: "stderr", text: "first\n" }])
      const all = await read(subject, container, BEGINNING)
      expect(messages(all.lines)).toEqual(["first"])
      await expectRest(subject, container, position, all.lines)
    },
  },
  {
    name: "from a time: exactly what is stamped later, to the nanosecond",
    async run(subject) {
      await expectTimes(subject, await tenLines(subject))
    },
  },
  {
    name: "from a time: from every position exactly the rest, also behind no line at all",
    async run(subject) {
      const { made, container, all } = await tenLines(subject)
      const after = all[4]?.timestamp ?? PAST
      const reader = await read(subject, container, { from: "time", after })
      await expectPositions(subject, container, reader, all)
      const nothing = await read(subject, container, {
        from: "time",
        after: all.at(-1)?.timestamp ?? PAST,
      })
      expect(nothing.lines).toEqual([])
      await made.write([{ stream: "stdout", text: "new\n" }])
      const present = await read(subject, container, BEGINNING)
      await expectRest(subject, container, nothing.position, present.lines.slice(10))
    },
  },
  {
    name: "from the last: none, one, some, all, and no more than there are",
    async run(subject) {
      const { container, all } = await tenLines(subject)
      for (const lines of [0, 1, 3, 9, 10, 11, 5_000]) {
        const reader = await read(subject, container, { from: "last", lines, where: () => true })
        expect(facts(reader.lines)).toEqual(facts(all.slice(Math.max(0, all.length - lines))))
        await expectPositions(subject, container, reader, all)
      }
    },
  },
  {
    name: "from the last where something holds: these and no other, wherever they stand",
    async run(subject) {
      const { made, container, all } = await tenLines(subject)
      const conditions: readonly ((line: Line) => boolean)[] = [
        ({ stream }) => stream === "stderr",
        ({ message }) => message === "same",
        ({ message }) => message === "one",
        () => false,
      ]
      for (const where of conditions) {
        for (const lines of [0, 1, 2, 100]) {
          const reader = await read(subject, container, { from: "last", lines, where })
          const chosen = all.filter(where)
          expect(facts(reader.lines)).toEqual(
            facts(chosen.slice(Math.max(0, chosen.length - lines))),
          )
          // The position of a line stands behind it, however many the condition leaves out there.
          let behind = all
          for (const line of reader.lines.toReversed()) {
            // Twins of one stamp are nothing unusual: the last of those that are left.
            const at = behind.findLastIndex((one) => Bun.deepEquals(facts([one]), facts([line])))
            behind = all.slice(0, at)
            await expectRest(subject, container, line.position, all.slice(at + 1))
          }
          await expectRest(subject, container, reader.position, [])
        }
      }
      const { position } = await read(subject, container, {
        from: "last",
        lines: 1,
        where: () => false,
      })
      await made.write([{ stream: "stdout", text: "new\n" }])
      const present = await read(subject, container, BEGINNING)
      await expectRest(subject, container, position, present.lines.slice(10))
    },
  },
  {
    name: "from the last, followed: the last, then exactly what is written",
    async run(subject) {
      const { made, container, all } = await tenLines(subject)
      const start = { from: "last", lines: 2, where: () => true } as const
      const reader = new Reader(subject, container, start)
      await reader.count(2)
      await made.write([{ stream: "stdout", text: "new\n" }])
      await reader.count(3)
      reader.abort()
      await reader.end()
      expect(facts(reader.lines.slice(0, 2))).toEqual(facts(all.slice(8)))
      expect(messages(reader.lines.slice(2))).toEqual(["new"])
    },
  },
  {
    name: "from a position, followed: exactly the rest, then what is written",
    async run(subject) {
      const { made, container, all } = await tenLines(subject)
      await made.write([{ stream: "stdout", text: "new\n" }])
      const present = await read(subject, container, BEGINNING)
      for (const [index, { position }] of all.entries()) {
        const rest = present.lines.slice(index + 1)
        const reader = await follow(subject, container, { from: "position", position }, rest.length)
        expect(facts(reader.lines)).toEqual(facts(rest))
      }
    },
  },
  {
    name: "until a time: nothing stamped later, with any start",
    async run(subject) {
      const { container, all } = await tenLines(subject)
      // What is stamped later than the clock's present is not a cut.
      const newest = all.at(-1)?.timestamp ?? PAST
      await until(subject, () => now() > newest, "the clock to pass the last line")
      for (const { timestamp } of [...all, { timestamp: PAST }, { timestamp: FUTURE }]) {
        const cut = all.findIndex((line) => line.timestamp > timestamp)
        const kept = cut < 0 ? all : all.slice(0, cut)
        const reader = await read(subject, container, BEGINNING, { until: timestamp })
        expect(facts(reader.lines)).toEqual(facts(kept))
        await expectRest(subject, container, reader.position, all.slice(kept.length))
        const last = { from: "last", lines: 3, where: () => true } as const
        const tail = await read(subject, container, last, { until: timestamp })
        expect(facts(tail.lines)).toEqual(facts(kept.slice(Math.max(0, kept.length - 3))))
        await expectRest(subject, container, tail.position, all.slice(kept.length))
      }
    },
  },
]

export { expectTimes }
