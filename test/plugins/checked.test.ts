import { describe, expect, test } from "bun:test"
import { CheckedRuntime } from "../../plugins/checked.ts"
import { Failure } from "../../src/errors.ts"
import type { Batch, Container, Hint, Line, Runtime } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"

const at = "2026-01-01T00:00:00.000000000Z" as Instant

const container: Container = {
  id: "a".repeat(64),
  name: "one",
  labels: { "some.label": "of its own" },
  pod: "pod",
  state: "running",
  createdAt: at,
  guarantee: { level: "exact", source: "api", reason: "" },
}

const line: Line = { stream: "stderr", timestamp: at, message: "", partial: true, position: "p-_1" }

const hint: Hint = { id: container.id, change: "exited", at, exitCode: 1 }

const never = () => new Promise<never>(() => {})

/** A plugin's runtime behind the border, good but for what is given. */
function checked(
  flaw: Readonly<Partial<Record<keyof Runtime, unknown>>>,
  batchMs?: number,
): Runtime {
  const good: Runtime = {
    name: "mine",
    ping: async () => ({ version: "1" }),
    list: async () => [container],
    async *watch() {},
    async *read() {},
    async [Symbol.asyncDispose]() {},
  }
  return new CheckedRuntime("mine", { ...good, ...flaw } as Runtime, batchMs)
}

const yielding = (...values: unknown[]) =>
  async function* () {
    yield* values
  }

interface Asked {
  readonly follow?: boolean
  readonly signal?: AbortSignal
}

async function read(runtime: Runtime, { follow = false, signal }: Asked = {}): Promise<Batch[]> {
  const options = { follow, signal: signal ?? new AbortController().signal }
  return Array.fromAsync(runtime.read(container, { from: "beginning" }, options))
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.then(
    () => "nothing was thrown",
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Failure)
  return error as Failure
}

const { signal } = new AbortController()

describe("what is right", () => {
  test("passes as it is", async () => {
    const gap = { reason: "rotated", from: at, to: at } as const
    const batch: Batch = { gap, lines: [line], position: "p" }
    const runtime = checked({ read: yielding(batch), watch: yielding(hint) })
    expect(runtime.name).toBe("mine")
    expect(await runtime.ping(signal)).toEqual({ version: "1" })
    expect(await runtime.list(signal)).toEqual([container])
    expect(await Array.fromAsync(runtime.watch(() => {}, signal))).toEqual([hint])
    expect(await read(runtime)).toEqual([batch])
  })

  test("passes without its blocks: they are bytes and offsets that nobody has checked", async () => {
    const batch: Batch = { lines: [line], position: "p" }
    const runtime = checked({ read: yielding({ ...batch, block: { length: 1e9 } }) })
    expect(await read(runtime)).toEqual([batch])
  })
})

describe("what is wrong is told, with its place, and never its content", () => {
  test.each([
    ["id", { ...container, id: "A".repeat(64) }],
    ["labels", { ...container, labels: undefined }],
    ["labels/bad", { ...container, labels: { bad: 7 } }],
    ["state", { ...container, state: "asleep" }],
    ["createdAt", { ...container, createdAt: "2026-01-01" }],
    ["guarantee/level", { ...container, guarantee: { ...container.guarantee, level: "high" } }],
  ])("a container's %s", async (place, bad) => {
    const failure = await failureOf(checked({ list: async () => [container, bad] }).list(signal))
    expect(failure.code).toBe("runtime_invalid")
    expect(failure.message).toStartWith(
      `the plugin mine, list(): gave something wrong at /1/${place}: `,
    )
  })

  test("two containers of one id", async () => {
    const failure = await failureOf(
      checked({ list: async () => [container, container] }).list(signal),
    )
    expect(failure.message).toBe("the plugin mine, list(): two containers have the same id")
  })

  test.each([
    ["it", undefined],
    ["/lines", { position: "p" }],
    ["/position", { lines: [] }],
    ["/position", { lines: [], position: "p.q" }],
    ["/position", { lines: [], position: "p".repeat(161) }],
    ["/position", { lines: [], position: "p\n" }],
    ["/gap/reason", { gap: { reason: "secret" }, lines: [], position: "p" }],
    [
      "/lines/1/position",
      { lines: [line, { ...line, position: "secret position" }], position: "p" },
    ],
    ["/lines/0/message", { lines: [{ ...line, message: ["secret"] }], position: "p" }],
    ["/lines/0/stream", { lines: [{ ...line, stream: "secret" }], position: "p" }],
    ["/lines/0/timestamp", { lines: [{ ...line, timestamp: "secret" }], position: "p" }],
  ])("a batch's %s", async (place, bad) => {
    const failure = await failureOf(read(checked({ read: yielding(bad) })))
    expect(failure.code).toBe("runtime_invalid")
    expect(failure.message).toStartWith(
      `the plugin mine, read(): gave something wrong at ${place}: `,
    )
    expect(failure.message).not.toContain("secret")
  })

  test.each([
    ["/id", { ...hint, id: "short" }],
    ["/change", { ...hint, change: "exploded" }],
    ["/exitCode", { ...hint, exitCode: "1" }],
  ])("a hint's %s", async (place, bad) => {
    const watching = checked({ watch: yielding(hint, bad) }).watch(() => {}, signal)
    const failure = await failureOf(Array.fromAsync(watching))
    expect(failure.message).toContain(`watch(): gave something wrong at ${place}: `)
  })

  test("a version", async () => {
    const failure = await failureOf(checked({ ping: async () => ({ version: 1 }) }).ping(signal))
    expect(failure.message).toContain("ping(): gave something wrong at /version: ")
  })
})

describe("what is thrown", () => {
  const thrower = (thrown: unknown) => () => {
    throw thrown
  }

  test.each(["runtime_unavailable", "log_driver_unreadable"] as const)(
    "keeps its code %s",
    async (code) => {
      const error = Object.assign(new Error("so it is"), { code })
      for (const work of [
        checked({ ping: thrower(error) }).ping(signal),
        checked({ list: () => Promise.reject(error) }).list(signal),
        read(checked({ read: thrower(error) })),
      ]) {
        expect(await failureOf(work)).toMatchObject({ code, message: "mine: so it is" })
      }
    },
  )

  test.each([
    ["an error", () => new TypeError("a mistake"), "a mistake"],
    ["another code", () => ({ code: "unauthenticated", message: "it says" }), "it says"],
    ["words", () => "words", "no Error"],
    ["null", () => null, "no Error"],
    ["undefined", () => undefined, "no Error"],
  ])("is the plugin's fault without one of these: %s", async (_, make, said) => {
    const thrown = make()
    for (const [method, work] of [
      ["list", checked({ list: thrower(thrown) }).list(signal)],
      ["watch", Array.fromAsync(checked({ watch: thrower(thrown) }).watch(() => {}, signal))],
      ["read", read(checked({ read: thrower(thrown) }))],
    ] as const) {
      const failure = await failureOf(work)
      expect(failure.code).toBe("runtime_invalid")
      expect(failure.message).toBe(`the plugin mine, ${method}(): threw: ${said}`)
    }
  })
})

describe("what does not end", () => {
  test("is left when it is aborted, and told to return", async () => {
    const leaving = new AbortController()
    let returned = 0
    const endless = () => ({
      [Symbol.asyncIterator]: () => ({
        next: never,
        return: async () => {
          returned += 1
          throw new Error("not even that")
        },
      }),
    })
    const reading = read(checked({ read: endless }), { follow: true, signal: leaving.signal })
    const watching = Array.fromAsync(checked({ watch: endless }).watch(() => {}, leaving.signal))
    leaving.abort()
    expect(await reading).toEqual([])
    expect(await watching).toEqual([])
    expect(returned).toBe(2)
  })

  test("is left by one who leaves the loop", async () => {
    const runtime = checked({
      read: () => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: { lines: [], position: "p" } }),
          return: never,
        }),
      }),
    })
    for await (const batch of runtime.read(container, { from: "end" }, { follow: true, signal })) {
      if (batch.position === "p") break
    }
  })

  test("rejects too late for anybody to hear", async () => {
    const leaving = new AbortController()
    const late = Promise.withResolvers<never>()
    const hanging = () => ({ [Symbol.asyncIterator]: () => ({ next: () => late.promise }) })
    const reading = read(checked({ read: hanging }), { signal: leaving.signal })
    leaving.abort()
    expect(await reading).toEqual([])
    // One that nobody hears would fail this test.
    late.reject(new Error("late"))
    await Bun.sleep(0)
  })

  test("is no answer when what the log holds does not come, or not a follow's beginning", async () => {
    const hanging = () => ({ [Symbol.asyncIterator]: () => ({ next: never }) })
    for (const follow of [false, true]) {
      const failure = await failureOf(read(checked({ read: hanging }, 20), { follow }))
      expect(failure).toMatchObject({ code: "runtime_unavailable" })
    }
    async function* halting() {
      yield { lines: [], position: "p" }
      await never()
    }
    const failure = await failureOf(read(checked({ read: halting }, 20)))
    expect(failure).toMatchObject({ code: "runtime_unavailable" })
  })

  test("is silence, when a follow has begun", async () => {
    async function* quiet() {
      yield { lines: [], position: "p" }
      await Bun.sleep(100)
      yield { lines: [line], position: "q" }
    }
    expect(await read(checked({ read: quiet }, 20), { follow: true })).toHaveLength(2)
  })
})
