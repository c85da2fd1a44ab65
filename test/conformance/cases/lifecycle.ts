/** Containers that start, stop, come back and go; logs that are rotated; a runtime that goes away. */
import { expect } from "bun:test"
import { Failure } from "../../../src/errors.ts"
import type { Case, Subject } from "../host.ts"
import {
  BEGINNING,
  END,
  expectPositions,
  facts,
  listed,
  list,
  messages,
  read,
  Reader,
  until,
  within,
} from "../reader.ts"
import { watch } from "./listing.ts"

const out = (text: string) => [{ stream: "stdout", text }] as const

async function expectUnavailable(promise: Promise<unknown>): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Failure)
  expect((error as Failure).code).toBe("runtime_unavailable")
}

async function ping(subject: Subject): Promise<string> {
  const pinging = subject.runtime.ping(new AbortController().signal)
  return (await within(subject, pinging, "the ping")).version
}

export const lifecycleCases: readonly Case[] = [
  {
    name: "a container that was never started has an empty log, followed or not",
    needs: ["created containers"],
    async run(subject) {
      const made = await subject.host.create({ started: false })
      const container = await listed(subject, made)
      for (const start of [BEGINNING, END]) {
        for (const following of [false, true]) {
          const reader = new Reader(subject, container, start, { follow: following })
          await reader.end()
          expect(reader.lines).toEqual([])
        }
      }
      const { position } = await read(subject, container, END)
      await made.start()
      await made.write(out("first\n"))
      const rest = await read(subject, container, { from: "position", position })
      expect(messages(rest.lines)).toEqual(["first"])
    },
  },
  {
    name: "a container that there is not is read without an error, and without a line",
    async run(subject) {
      const made = await subject.host.create({ output: out("one\n") })
      const container = await listed(subject, made)
      await made.remove()
      for (const id of [made.id, "f".repeat(64)]) {
        for (const start of [
          BEGINNING,
          END,
          { from: "last", lines: 1, where: () => true } as const,
        ]) {
          for (const following of [false, true]) {
            const reader = new Reader(subject, { ...container, id }, start, { follow: following })
            await reader.end()
            expect(reader.lines).toEqual([])
          }
        }
      }
    },
  },
  {
    name: "follow of a container that is removed ends without an error, with all that it wrote",
    async run(subject) {
      const made = await subject.host.create()
      const container = await listed(subject, made)
      const reader = new Reader(subject, container, BEGINNING)
      await made.write(out("one\ntwo\n"))
      await reader.count(2)
      await made.remove()
      await reader.end()
      expect(messages(reader.lines)).toEqual(["one", "two"])
    },
  },
  {
    name: "the last position of a run gives the lines of the next one, exactly",
    needs: ["unfinished lines over restarts"],
    async run(subject) {
      const made = await subject.host.create()
      await made.write(out("first run\nunfinished"))
      await made.stop()
      const container = await listed(subject, made)
      const first = await read(subject, container, BEGINNING)
      expect(messages(first.lines)).toEqual(["first run", "unfinished"])
      await made.start()
      await made.write([...out("second run\n"), { stream: "stderr", text: "too\n", delayMs: 30 }])
      const start = { from: "position", position: first.position } as const
      const second = await read(subject, await listed(subject, made), start)
      expect(messages(second.lines)).toEqual(["second run", "too"])
      const all = await read(subject, container, BEGINNING)
      expect(facts(all.lines)).toEqual(facts([...first.lines, ...second.lines]))
      await expectPositions(subject, container, all, all.lines)
    },
  },
  {
    name: "over restarts, follow and its resumption give every line of every run once",
    needs: ["unfinished lines over restarts"],
    async run(subject) {
      const made = await subject.host.create()
      const container = await listed(subject, made)
      let reader = new Reader(subject, container, BEGINNING)
      const came: string[] = []
      for (let run = 0; run < 3; run += 1) {
        await made.write(out(`${run}: one\n${run}: two\n${run}: unfinished`))
        await made.restart()
        await made.write(out(`${run}: restarted\n`))
        // It may have ended with the run, or have gone on with the next.
        const wanted = 4 * (run + 1)
        while (came.length + reader.lines.length < wanted) {
          await until(
            subject,
            () => reader.ended || came.length + reader.lines.length >= wanted,
            () => `${wanted} lines; came: ${came.length + reader.lines.length}`,
          )
          if (!reader.ended) continue
          await reader.end()
          came.push(...messages(reader.lines))
          reader = new Reader(subject, container, { from: "position", position: reader.position })
        }
      }
      reader.abort()
      await reader.end()
      expect(reader.gaps).toEqual([])
      expect([...came, ...messages(reader.lines)]).toEqual(
        [0, 1, 2].flatMap((run) =>
          ["one", "two", "unfinished", "restarted"].map((word) => `${run}: ${word}`),
        ),
      )
    },
  },
  {
    name: "a position whose place was rotated away is answered with a gap, and what there is",
    needs: ["rotation"],
    async run(subject) {
      const made = await subject.host.create({ rotates: true })
      const container = await listed(subject, made)
      await made.write(out("one\ntwo\nthree\n"))
      const [first] = (await read(subject, container, BEGINNING)).lines
      await made.rotate()
      await made.write(out("after the rotation\n"))
      const start = { from: "position", position: first?.position ?? "" } as const
      const reader = new Reader(subject, container, start, { follow: false })
      await reader.end()
      expect(reader.gaps.map(({ reason }) => reason)).toEqual(["rotated"])
      expect(reader.batches.find(({ gap, lines }) => gap || lines.length > 0)?.gap).toBeDefined()
      const now = await read(subject, container, BEGINNING)
      expect(messages(now.lines)).not.toContain("one")
      expect(facts(reader.lines)).toEqual(facts(now.lines))
      expect(messages(reader.lines).at(-1)).toBe("after the rotation")
    },
  },
  {
    name: "a position that nobody gave is answered with a gap, not with an error",
    async run(subject) {
      const made = await subject.host.create({ output: out("one\n") })
      const container = await listed(subject, made)
      for (const position of ["AAAA", "x", "-", "_".repeat(160), "9".repeat(40)]) {
        const reader = new Reader(
          subject,
          container,
          { from: "position", position },
          { follow: false },
        )
        await reader.end()
        expect(reader.gaps).toHaveLength(1)
        expect(reader.batches[0]?.gap).toBeDefined()
      }
    },
  },
  {
    name: "while the runtime is away everything says so, and afterwards goes on where it was",
    needs: ["outage"],
    async run(subject) {
      const { host, runtime } = subject
      const made = await host.create({ output: out("one\ntwo\n") })
      const container = await listed(subject, made)
      const reader = new Reader(subject, container, BEGINNING)
      await reader.count(2)
      const watching = await watch(subject)
      await host.down()
      const { signal } = new AbortController()
      await expectUnavailable(reader.end())
      await within(subject, watching.done, "the watch to end")
      await expectUnavailable(within(subject, runtime.ping(signal), "the ping"))
      await expectUnavailable(list(subject))
      await expectUnavailable(new Reader(subject, container, BEGINNING).end())
      const watchingAgain = runtime.watch(() => {}, signal)[Symbol.asyncIterator]()
      await expectUnavailable(within(subject, watchingAgain.next(), "the watch"))
      await host.up()
      expect(await ping(subject)).not.toBe("")
      expect((await listed(subject, made)).state).toBe("running")
      const again = new Reader(subject, container, { from: "position", position: reader.position })
      await made.write(out("three\n"))
      await again.count(1)
      again.abort()
      await again.end()
      expect(messages(again.lines)).toEqual(["three"])
      expect(again.gaps).toEqual([])
    },
  },
  {
    name: "a runtime that is not there is unavailable, and is found when it comes",
    needs: ["outage"],
    async run(subject) {
      await subject.host.down()
      const { signal } = new AbortController()
      await expectUnavailable(within(subject, subject.runtime.ping(signal), "the ping"))
      await expectUnavailable(list(subject))
      await subject.host.up()
      expect(await ping(subject)).not.toBe("")
      expect(await list(subject)).toEqual([])
    },
  },
]
