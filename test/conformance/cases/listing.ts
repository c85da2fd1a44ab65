/** What a runtime says of itself and of its containers. */
import { expect } from "bun:test"
import { Failure } from "../../../src/errors.ts"
import type { Hint } from "../../../src/runtime.ts"
import { now, shift } from "../../../src/time.ts"
import type { Case, HostContainer, Subject } from "../host.ts"
import { BEGINNING, INSTANT, list, listed, Reader, until, within } from "../reader.ts"

const HOUR = 3_600_000_000_000n

export const listingCases: readonly Case[] = [
  {
    name: "ping tells a version",
    async run(subject) {
      const ping = subject.runtime.ping(new AbortController().signal)
      const { version } = await within(subject, ping, "the ping")
      expect(version).not.toBe("")
    },
  },
  {
    name: "list is empty where there is nothing",
    async run(subject) {
      expect(await list(subject)).toEqual([])
    },
  },
  {
    name: "list tells name and labels",
    needs: ["labels"],
    async run(subject) {
      const labels = { "com.docker.compose.project": "shop", "odd.one": 'a,b=c "d" é' }
      const made = await subject.host.create({ name: "conformance-web", labels })
      const container = await listed(subject, made)
      expect(container.name).toBe("conformance-web")
      expect(container.labels).toMatchObject(labels)
    },
  },
  {
    name: "list tells id, name, state, creation and guarantee",
    async run(subject) {
      const before = now()
      const made = await subject.host.create()
      const container = await listed(subject, made)
      expect(container).toMatchObject({ id: made.id, name: made.name, state: "running" })
      expect(container.id).toMatch(/^[0-9a-f]{64}$/)
      expect(container.createdAt).toMatch(INSTANT)
      // The runtime's clock need not be ours, but no zone may have been mistaken.
      expect(container.createdAt > shift(before, -HOUR / 4n)).toBe(true)
      expect(container.createdAt < shift(now(), HOUR / 4n)).toBe(true)
      expect(["exact", "best-effort"]).toContain(container.guarantee.level)
      expect(["api", "file"]).toContain(container.guarantee.source)
    },
  },
  {
    name: "list has every container, running or not, and none that is gone",
    async run(subject) {
      const running = await subject.host.create()
      const exited = await subject.host.create({ exitCode: 0 })
      const gone = await subject.host.create()
      const states = async () => new Map((await list(subject)).map(({ id, state }) => [id, state]))
      expect((await states()).size).toBe(3)
      await gone.remove()
      expect(await states()).toEqual(
        new Map([
          [running.id, "running"],
          [exited.id, "exited"],
        ]),
      )
      await running.stop()
      await exited.start()
      expect(await states()).toEqual(
        new Map([
          [running.id, "exited"],
          [exited.id, "running"],
        ]),
      )
    },
  },
  {
    name: "list has a container that was never started",
    needs: ["created containers"],
    async run(subject) {
      const made = await subject.host.create({ started: false })
      expect((await listed(subject, made)).state).toBe("created")
    },
  },
  {
    name: "a log that nobody can read is said to be unreadable, and a typed error",
    needs: ["unreadable logs"],
    async run(subject) {
      const container = await listed(subject, await subject.host.create({ unreadable: true }))
      expect(container.guarantee).toMatchObject({ level: "unreadable", source: "none" })
      expect(container.guarantee.reason).not.toBe("")
      for (const following of [false, true]) {
        const reader = new Reader(subject, container, BEGINNING, { follow: following })
        const error = await reader.failure()
        expect(error).toBeInstanceOf(Failure)
        expect((error as Failure).code).toBe("log_driver_unreadable")
      }
    },
  },
  {
    name: "watch is ready before it can miss anything, and hints at every change",
    async run(subject) {
      await using watching = await watch(subject)
      const made = await subject.host.create()
      await watching.sees(made, ["created", "started"])
      await made.exit(7)
      await watching.sees(made, ["exited"])
      await made.start()
      await watching.seesTwice(made, "started")
      await made.remove()
      await watching.sees(made, ["removed"])
      for (const { at } of watching.hints) expect(at).toMatch(INSTANT)
    },
  },
  {
    name: "watch tells the exit code",
    needs: ["exit codes"],
    async run(subject) {
      await using watching = await watch(subject)
      const made = await subject.host.create()
      await made.exit(7)
      await watching.sees(made, ["exited"])
      const hint = watching.hints.find(({ id, change }) => id === made.id && change === "exited")
      expect(hint?.exitCode).toBe(7)
    },
  },
  {
    name: "watch that is aborted ends without an error",
    async run(subject) {
      const watching = await watch(subject)
      watching.abort()
      expect(await within(subject, watching.done, "the watch to end")).toBeUndefined()
    },
  },
  {
    name: "a runtime can be disposed twice",
    async run({ runtime }) {
      await runtime[Symbol.asyncDispose]()
      await runtime[Symbol.asyncDispose]()
    },
  },
]

/** Watches in the background; resolves once the runtime is ready. */
export async function watch(subject: Subject) {
  const hints: Hint[] = []
  const abort = new AbortController()
  let ready = false
  const collect = async () => {
    for await (const hint of subject.runtime.watch(() => (ready = true), abort.signal)) {
      hints.push(hint)
    }
  }
  /** What it threw, if anything. */
  const done = collect().catch((error: unknown) => error ?? new Error("nothing thrown"))
  await until(subject, () => ready, "watch to be ready")
  const changes = ({ id }: HostContainer) =>
    hints.filter((hint) => hint.id === id).map(({ change }) => change)
  return {
    hints,
    done,
    abort: () => abort.abort(),
    sees: (container: HostContainer, wanted: readonly Hint["change"][]) =>
      until(
        subject,
        () => wanted.every((change) => changes(container).includes(change)),
        () => `hints ${wanted.join(", ")}; came: ${changes(container).join(", ")}`,
      ),
    seesTwice: (container: HostContainer, wanted: Hint["change"]) =>
      until(
        subject,
        () => changes(container).filter((change) => change === wanted).length >= 2,
        `a second hint ${wanted}`,
      ),
    async [Symbol.asyncDispose]() {
      abort.abort()
      await within(subject, done, "the watch to end")
    },
  }
}
