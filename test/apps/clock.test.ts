import { describe, expect, test } from "bun:test"
import { systemClock, within } from "../../src/apps/clock.ts"
import { settle, VirtualClock } from "./virtual-clock.ts"

const late = () => new Error("late")
const forEver = () => new Promise<never>(() => {})
const asError = (error: unknown) => error

describe("the system's clock", () => {
  test("waits as long as it is told to", async () => {
    const before = systemClock.now()
    await systemClock.wait(20, new AbortController().signal)
    expect(systemClock.now() - before).toBeGreaterThanOrEqual(19)
  })

  test("stops waiting when the signal is aborted, before or while it waits", async () => {
    const controller = new AbortController()
    const before = systemClock.now()
    const wait = systemClock.wait(60_000, controller.signal)
    controller.abort()
    await wait
    await systemClock.wait(60_000, controller.signal)
    expect(systemClock.now() - before).toBeLessThan(10_000)
  })
})

describe("within", () => {
  test("gives what the work gives, and holds no timer then", async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    expect(await within(clock, 10, signal, async () => 7, late)).toBe(7)
    const broken = within(clock, 10, signal, () => Promise.reject(new Error("broken")), late)
    expect(await broken.catch(asError)).toEqual(new Error("broken"))
    await settle()
    expect(clock.pending).toBe(0)
  })

  test("gives up work that takes too long, and tells it so", async () => {
    const clock = new VirtualClock()
    let told = false
    const work = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => void (told = true))
      return new Promise<never>(() => {})
    }
    const result = within(clock, 10, new AbortController().signal, work, late).catch(asError)
    await clock.advance(9)
    expect(told).toBe(false)
    await clock.advance(1)
    expect(await result).toEqual(new Error("late"))
    expect(told).toBe(true)
  })

  test("leaves nothing on a signal that outlives the work", async () => {
    const { signal } = new AbortController()
    const listening = new Set<unknown>()
    const add = signal.addEventListener.bind(signal)
    signal.addEventListener = (type: string, listener: () => void) => {
      listening.add(listener)
      add(type, listener)
    }
    const remove = signal.removeEventListener.bind(signal)
    signal.removeEventListener = (type: string, listener: () => void) => {
      listening.delete(listener)
      remove(type, listener)
    }
    const seen = within(new VirtualClock(), 10, signal, async () => listening.size, late)
    expect(await seen).toBe(1)
    expect(listening.size).toBe(0)
  })

  test("rejects with the signal's reason when that is aborted, before or while the work is done", async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    const result = within(clock, 10, controller.signal, forEver, late).catch(asError)
    controller.abort(new Error("left"))
    expect(await result).toEqual(new Error("left"))
    let begun = false
    const work = async () => void (begun = true)
    expect(await within(clock, 10, controller.signal, work, late).catch(asError)).toEqual(
      new Error("left"),
    )
    expect(begun).toBe(false)
    expect(clock.pending).toBe(0)
  })
})
