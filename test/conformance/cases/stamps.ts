/** Time is data, not identity: equal stamps, twins, clocks that step, and lines of the future. */
import { expect } from "bun:test"
import { type Instant, now, shift } from "../../../src/time.ts"
import type { Case, Output, Subject } from "../host.ts"
import { BEGINNING, expectPositions, facts, listed, messages, read } from "../reader.ts"
import { expectTimes } from "./starts.ts"

const SECOND = 1_000_000_000n

/** A container that wrote lines with these stamps: seconds from an hour ago on. */
async function stamped(
  subject: Subject,
  lines: readonly (readonly [seconds: number, text: string, stream?: "stderr"])[],
) {
  const hourAgo = shift(now(), -3_600n * SECOND)
  const made = await subject.host.create()
  await made.write(
    lines.map(([seconds, text, stream]): Output => {
      return { stream: stream ?? "stdout", text: `${text}\n`, at: secondsAfter(hourAgo, seconds) }
    }),
  )
  const container = await listed(subject, made)
  const reader = await read(subject, container, BEGINNING)
  expect(messages(reader.lines)).toEqual(lines.map(([, text]) => text))
  return { made, container, reader, all: reader.lines, hourAgo }
}

function secondsAfter(instant: Instant, seconds: number): Instant {
  return shift(instant, BigInt(Math.round(seconds * 1e9)))
}

export const stampCases: readonly Case[] = [
  {
    name: "lines of one stamp are told apart by where they stand",
    needs: ["chosen timestamps"],
    async run(subject) {
      const subjects = await stamped(subject, [
        [0, "a"],
        [1, "b"],
        [1, "c", "stderr"],
        [1, "d"],
        [1, "e"],
        [2, "f"],
        [2, "g"],
      ])
      await expectPositions(subject, subjects.container, subjects.reader, subjects.all)
      await expectTimes(subject, subjects)
    },
  },
  {
    name: "twins, equal in all but their place, come once each",
    needs: ["chosen timestamps"],
    async run(subject) {
      const twins = Array.from({ length: 8 }, () => [1, "twin"] as const)
      const { made, container, reader, all } = await stamped(subject, twins)
      await expectPositions(subject, container, reader, all)
      await made.write([{ stream: "stdout", text: "twin\n", at: all[0]?.timestamp ?? now() }])
      const rest = await read(subject, container, { from: "position", position: reader.position })
      expect(facts(rest.lines)).toEqual(facts(all.slice(0, 1)))
    },
  },
  {
    name: "a long line's parts, all of one stamp, are one line among others of that stamp",
    needs: ["chosen timestamps"],
    async run(subject) {
      const { container, reader, all } = await stamped(subject, [
        [1, "before"],
        [1, "x".repeat(40_000)],
        [1, "y".repeat(40_000), "stderr"],
        [1, "behind"],
        [2, "later"],
      ])
      await expectPositions(subject, container, reader, all)
    },
  },
  {
    name: "a clock that stepped back neither hides nor repeats a line on resumption",
    needs: ["chosen timestamps"],
    async run(subject) {
      const { made, container, reader, all, hourAgo } = await stamped(subject, [
        [10, "a"],
        [11, "b"],
        [4, "stepped back by seven seconds"],
        [5, "c", "stderr"],
        [5, "d"],
        [12, "e"],
        [11.5, "f"],
      ])
      await expectPositions(subject, container, reader, all)
      const last = { from: "last", lines: 4, where: () => true } as const
      const tail = await read(subject, container, last)
      expect(facts(tail.lines)).toEqual(facts(all.slice(3)))
      await made.write([{ stream: "stdout", text: "older\n", at: secondsAfter(hourAgo, 11) }])
      for (const { position } of [reader, tail]) {
        const rest = await read(subject, container, { from: "position", position })
        expect(messages(rest.lines)).toEqual(["older"])
      }
    },
  },
  {
    name: "from a time, over a clock that stepped back: the first later line, and all behind it",
    needs: ["chosen timestamps", "times over clock steps"],
    async run(subject) {
      await expectTimes(
        subject,
        await stamped(subject, [
          [10, "a"],
          [20, "b"],
          [3, "c"],
          [4, "d", "stderr"],
          [30, "e"],
          [1, "f"],
        ]),
      )
    },
  },
  {
    name: "until a time passes over lines that a wrong clock stamped with the future",
    needs: ["chosen timestamps"],
    async run(subject) {
      const { container, all, hourAgo } = await stamped(subject, [
        [1, "a"],
        [100_000, "of the future"],
        [2, "b"],
        [3, "c"],
      ])
      const cut = await read(subject, container, BEGINNING, { until: secondsAfter(hourAgo, 2) })
      expect(facts(cut.lines)).toEqual(facts(all.slice(0, 3)))
    },
  },
]
