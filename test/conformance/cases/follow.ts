/** Following: what is there, then what comes, until the container stops or nobody wants it any more. */
import { expect } from "bun:test"
import type { Case, Subject } from "../host.ts"
import {
  BEGINNING,
  END,
  facts,
  listed,
  messages,
  messagesOf,
  read,
  Reader,
  until,
  within,
} from "../reader.ts"

/** A reader that is ended is to be so within this time. */
const PROMPT_MS = 1_000

async function followed(subject: Subject, text = "backlog\n") {
  const made = await subject.host.create()
  if (text !== "") await made.write([{ stream: "stdout", text }])
  const container = await listed(subject, made)
  const reader = new Reader(subject, container, BEGINNING)
  await reader.until(() => reader.batches.length > 0, "the first batch")
  return { made, container, reader }
}

async function expectFreed(subject: Subject, since: number): Promise<void> {
  await until(subject, () => subject.host.open() === 0, "every connection to be freed")
  expect(performance.now() - since).toBeLessThan(PROMPT_MS)
}

export const followCases: readonly Case[] = [
  {
    name: "follow hands over what is there, then what comes, each line once",
    async run(subject) {
      const { made, container, reader } = await followed(subject)
      for (let number = 0; number < 20; number += 1) {
        const stream = number % 2 === 0 ? "stdout" : "stderr"
        await made.write([{ stream, text: `${number}\n` }])
        await reader.count(number + 2)
      }
      reader.abort()
      await reader.end()
      expect(messages(reader.lines)).toEqual([
        "backlog",
        ...Array.from({ length: 20 }, (_, n) => `${n}`),
      ])
      expect(facts(reader.lines)).toEqual(facts((await read(subject, container, BEGINNING)).lines))
    },
  },
  {
    name: "follow of a container that writes while it is being opened loses and repeats nothing",
    async run(subject) {
      const made = await subject.host.create()
      const container = await listed(subject, made)
      const writing = (async () => {
        for (let burst = 0; burst < 20; burst += 1) {
          const text = Array.from({ length: 50 }, (_, n) => `${burst * 50 + n}\n`).join("")
          await made.write([{ stream: "stdout", text }])
        }
        await made.exit(0)
      })()
      const readers = [BEGINNING, BEGINNING, BEGINNING].map(
        (start) => new Reader(subject, container, start),
      )
      await within(subject, writing, "the output")
      const expected = Array.from({ length: 1_000 }, (_, n) => `${n}`)
      for (const reader of readers) {
        await reader.end()
        expect(messages(reader.lines)).toEqual(expected)
        expect(reader.gaps).toEqual([])
      }
    },
  },
  {
    name: "follow ends when the container does, with all that it wrote",
    needs: ["two streams"],
    async run(subject) {
      const { made, container, reader } = await followed(subject)
      await made.write([
        { stream: "stdout", text: "out\nlast words without an end" },
        { stream: "stderr", text: "err\n" },
      ])
      await made.exit(3)
      await reader.end()
      expect(messagesOf("stdout", reader.lines)).toEqual([
        "backlog",
        "out",
        "last words without an end",
      ])
      expect(messagesOf("stderr", reader.lines)).toEqual(["err"])
      expect(reader.gaps).toEqual([])
      const after = await read(subject, container, BEGINNING)
      expect(facts(reader.lines)).toEqual(facts(after.lines))
      const resumed = await read(subject, container, {
        from: "position",
        position: reader.position,
      })
      expect(resumed.lines).toEqual([])
    },
  },
  {
    name: "follow of a container that has exited is what its log holds, and an end",
    async run(subject) {
      const made = await subject.host.create({
        output: [{ stream: "stdout", text: "one\ntwo" }],
        exitCode: 1,
      })
      const reader = new Reader(subject, await listed(subject, made), BEGINNING)
      await reader.end()
      expect(messages(reader.lines)).toEqual(["one", "two"])
    },
  },
  {
    name: "follow that is aborted ends at once, without an error, and frees its connection",
    async run(subject) {
      const { reader } = await followed(subject)
      await reader.count(1)
      const since = performance.now()
      reader.abort()
      await reader.end()
      await expectFreed(subject, since)
    },
  },
  {
    name: "follow of a quiet container that is aborted ends at once too",
    async run(subject) {
      const made = await subject.host.create()
      const reader = new Reader(subject, await listed(subject, made), END)
      await reader.until(() => reader.batches.length > 0, "the first batch")
      const since = performance.now()
      reader.abort()
      await reader.end()
      await expectFreed(subject, since)
    },
  },
  {
    name: "follow whose reader leaves the loop frees its connection",
    async run(subject) {
      const made = await subject.host.create()
      await made.write([{ stream: "stdout", text: "one\n" }])
      const container = await listed(subject, made)
      const { signal } = new AbortController()
      const options = { follow: true, signal }
      const leave = async () => {
        for await (const batch of subject.runtime.read(container, BEGINNING, options)) {
          if (batch.lines.length > 0) break
        }
      }
      await within(subject, leave(), "the loop to be left")
      await expectFreed(subject, performance.now())
    },
  },
  {
    name: "a read whose signal is aborted from the start is empty, and no error",
    async run(subject) {
      const made = await subject.host.create()
      await made.write([{ stream: "stdout", text: "one\n" }])
      const container = await listed(subject, made)
      const options = { follow: true, signal: AbortSignal.abort() }
      const collect = async () => {
        let lines = 0
        for await (const batch of subject.runtime.read(container, BEGINNING, options)) {
          lines += batch.lines.length
        }
        return lines
      }
      expect(await within(subject, collect(), "the end")).toBe(0)
      await expectFreed(subject, performance.now())
    },
  },
  {
    name: "a runtime that is disposed while it follows lets go of everything",
    async run(subject) {
      const { reader } = await followed(subject)
      const since = performance.now()
      const disposal = Promise.resolve(subject.runtime[Symbol.asyncDispose]())
      await within(subject, disposal, "the disposal")
      await reader.failure()
      await expectFreed(subject, since)
    },
  },
  {
    name: "many containers are followed at once, and the runtime still answers",
    async run(subject) {
      const made = await Promise.all(Array.from({ length: 6 }, () => subject.host.create()))
      const readers: Reader[] = []
      for (const one of made) {
        const container = await listed(subject, one)
        for (let copy = 0; copy < 10; copy += 1) readers.push(new Reader(subject, container, END))
      }
      for (const reader of readers) {
        await reader.until(() => reader.batches.length > 0, "the first batch")
      }
      const ping = subject.runtime.ping(new AbortController().signal)
      await within(subject, ping, "the ping")
      for (const one of made) await one.write([{ stream: "stdout", text: `${one.id}\n` }])
      for (const [index, reader] of readers.entries()) {
        await reader.count(1)
        reader.abort()
        await reader.end()
        expect(messages(reader.lines)).toEqual([made[Math.floor(index / 10)]?.id ?? ""])
      }
    },
  },
  {
    name: "a reader that dawdles gets every line",
    async run(subject) {
      const made = await subject.host.create()
      const container = await listed(subject, made)
      const { signal } = new AbortController()
      const reading = subject.runtime.read(container, BEGINNING, { follow: true, signal })
      const iterator = reading[Symbol.asyncIterator]()
      const text = `${"x".repeat(999)}\n`.repeat(3_000)
      const got: string[] = []
      const take = async () => {
        const next = await within(subject, iterator.next(), "a batch")
        if (!next.done) got.push(...messages(next.value.lines))
        return !next.done
      }
      await take()
      await made.write([{ stream: "stdout", text }])
      await made.write([{ stream: "stdout", text: "last" }])
      await made.exit(0)
      while (await take());
      expect(got).toHaveLength(3_001)
      expect(got.at(-1)).toBe("last")
    },
  },
]
