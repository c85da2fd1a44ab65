import { describe, expect, jest, test } from "bun:test"
import { Failure } from "../../src/errors.ts"
import { readLog } from "../../src/logapi/read.ts"
import { LogReadError } from "../../src/records/record.ts"
import type { Batch, ReadOptions, Start } from "../../src/runtime.ts"
import { type Instant, toInstant } from "../../src/time.ts"
import { elapse, fakeTime } from "./fake-time.ts"
import { ModelLog } from "./model.ts"
import { TUNING } from "./reader.ts"

const at = (second: number): Instant => toInstant(BigInt(second) * 1_000_000_000n)

/** A log with these lines, one a second from the hundredth on. */
function logOf(...lines: readonly string[]): ModelLog {
  const log = new ModelLog(true)
  for (const [number, line] of lines.entries()) log.append("stdout", at(100 + number), line, true)
  return log
}

/** Reads until `elapse` says no more: batches come as they come. */
function begin(log: ModelLog, start: Start, options: Partial<ReadOptions> = {}) {
  const leaving = new AbortController()
  const batches: Batch[] = []
  const state: { over: boolean; error?: unknown } = { over: false }
  const read = async () => {
    const whole = { follow: false, signal: leaving.signal, ...options }
    for await (const batch of readLog(log, start, whole, TUNING)) batches.push(batch)
  }
  void read()
    .catch((error: unknown) => (state.error = error))
    .finally(() => (state.over = true))
  const said = () => batches.flatMap(({ lines }) => lines.map(({ message }) => message))
  const gaps = () => batches.flatMap(({ gap }) => (gap ? [gap.reason] : []))
  return { batches, state, said, gaps, leave: () => leaving.abort() }
}

describe("a log read through an API", () => {
  fakeTime()

  test("loses nothing that is written in a burst while its first place is looked for", async () => {
    const log = logOf("old")
    let opened = 0
    log.onOpen = () => {
      if (++opened !== 2) return
      for (let line = 0; line < 50; line++) log.append("stdout", at(200), `l${line}`, true)
    }
    const { said, leave } = begin(log, { from: "time", after: at(150) }, { follow: true })
    await elapse(1_000)
    expect(said()).toEqual(Array.from({ length: 50 }, (_, line) => `l${line}`))
    leave()
  })

  test("passes over what the engine cannot read, with a gap, and goes on behind it", async () => {
    const log = logOf("a", "b")
    const { said, gaps, state } = begin(log, { from: "beginning" })
    await elapse(0)
    expect(said()).toEqual(["a", "b"])
    expect(state.over).toBe(true)

    // Whatever reads more than the last records fails, again and again.
    log.onOpen = ({ tail }) => {
      if (tail === undefined) throw new LogReadError("invalid character")
    }
    const broken = begin(log, { from: "beginning" }, { follow: true })
    await elapse(1_000)
    expect(broken.said()).toEqual([])
    expect(broken.gaps()).toEqual(["runtime_error"])
    log.append("stdout", at(200), "c", true)
    await elapse(10_000)
    expect(broken.said()).toEqual(["c"])
    expect(gaps()).toEqual([])
    broken.leave()
  })

  test("says that the log cannot be read when not even the last records can be read", async () => {
    const log = logOf("a")
    log.onOpen = () => {
      throw new LogReadError("it failed")
    }
    const { state } = begin(log, { from: "beginning" })
    await elapse(1_000)
    expect(state.error).toBeInstanceOf(Failure)
    expect(state.error).toMatchObject({ code: "log_unreadable" })
  })

  test("is not disturbed by an error that passes", async () => {
    const log = logOf("a", "b")
    let failures = 2
    log.onOpen = () => {
      if (failures-- > 0) throw new LogReadError("it failed")
    }
    const { said, gaps } = begin(log, { from: "beginning" })
    await elapse(1_000)
    expect(said()).toEqual(["a", "b"])
    expect(gaps()).toEqual([])
  })

  test("takes a position that is none for an unknown place: says so, and goes on at the end", async () => {
    const log = logOf("a")
    const { said, gaps, leave } = begin(
      log,
      { from: "position", position: "nonsense" },
      { follow: true },
    )
    await elapse(10)
    expect(gaps()).toEqual(["ambiguous"])
    log.append("stdout", at(200), "b", true)
    await elapse(1_000)
    expect(said()).toEqual(["b"])
    leave()
  })

  test("knows its last line again where only the head of lines with one time is gone, behind a gap", async () => {
    const log = new ModelLog(true)
    const write = (...lines: readonly string[]) => {
      for (const line of lines) log.append("stdout", at(100), line, true)
    }
    write("a", "b", "c", "d")
    const before = begin(log, { from: "beginning" })
    await elapse(0)
    const position = before.batches.at(-1)?.position ?? ""
    log.rotate(2)
    const quiet = begin(log, { from: "position", position })
    await elapse(0)
    expect(quiet.said()).toEqual([])
    const gap = { reason: "rotated", from: at(100), to: at(100) } as const
    expect(quiet.batches.map((batch) => batch.gap)).toEqual([gap])
    log.append("stdout", at(101), "e", true)
    const after = begin(log, { from: "position", position })
    await elapse(0)
    expect(after.said()).toEqual(["e"])
    expect(after.batches.map((batch) => batch.gap)).toEqual([{ ...gap, to: at(101) }])

    // Which of them was the last, nothing tells.
    write("d")
    const twins = begin(log, { from: "position", position })
    await elapse(0)
    expect(twins.said()).toEqual(["c", "d", "e", "d"])
    expect(twins.gaps()).toEqual(["rotated"])
  })

  test("does not go on at another line when the log is rotated while its place is looked for", async () => {
    const log = new ModelLog(true)
    const write = (...lines: readonly string[]) => {
      for (const line of lines) log.append("stdout", at(100), line, true)
    }
    write(..."abcdefghij".split(""))
    const { batches } = begin(log, { from: "beginning" })
    await elapse(0)
    const position = batches.at(-1)?.position ?? ""
    write("k", "l", "m")
    log.rotate(1)
    let looked = 0
    log.onOpen = ({ from }) => {
      // Once to count from the anchor, once to look for a twin, and once to go on behind it.
      if (from !== undefined && ++looked === 3) log.rotate(1)
    }
    const after = begin(log, { from: "position", position })
    await elapse(0)
    expect(looked).toBeGreaterThanOrEqual(3)
    expect(after.said().slice(-3)).toEqual(["k", "l", "m"])
    expect(after.gaps()).toEqual(["rotated"])
  })

  test("says that lines are gone also when the read behind the gap fails at first", async () => {
    const log = logOf("a", "b")
    const { batches } = begin(log, { from: "beginning" })
    await elapse(0)
    const position = batches.at(-1)?.position ?? ""
    log.append("stdout", at(200), "lost", true)
    log.append("stdout", at(201), "c", true)
    log.rotate(3)
    let opened = 0
    log.onOpen = ({ tail, from }) => {
      // Once to count from the anchor, once to look for a twin, and once to go on behind the gap.
      if (tail === undefined && from !== undefined && ++opened === 3) {
        throw new LogReadError("it failed")
      }
    }
    const { said, gaps } = begin(log, { from: "position", position })
    await elapse(1_000)
    expect(said()).toEqual(["c"])
    expect(gaps()).toEqual(["rotated"])
  })

  test("opens a follow anew that says nothing for a minute, as engines lose track of their files", async () => {
    const log = logOf("a")
    const { said, leave } = begin(log, { from: "beginning" }, { follow: true })
    await elapse(10)
    let opened = 0
    log.onOpen = () => void opened++
    await elapse(50_000)
    expect(opened).toBe(0)
    // The engine follows a file that is no more: what is written reaches the log, but not the connection.
    log.deaf = true
    log.append("stdout", at(200), "b", true)
    await elapse(15_000)
    await elapse(10)
    expect(said()).toEqual(["a", "b"])
    leave()
    await elapse(10)
    expect(log.following).toBe(0)
    expect(jest.getTimerCount()).toBe(0)
  })

  test("ends at once when it is called off, wherever it is", async () => {
    for (const ms of [0, 1, 10, 100]) {
      const log = logOf("a")
      const { state, leave } = begin(log, { from: "beginning" }, { follow: true })
      await elapse(ms)
      leave()
      await elapse(0)
      expect(state).toEqual({ over: true })
      expect(log.following).toBe(0)
      expect(jest.getTimerCount()).toBe(0)
    }
  })
})
