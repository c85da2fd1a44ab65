import { describe, expect, jest, test } from "bun:test"
import { Bell } from "../src/bell.ts"
import { elapse, fakeTime, settle } from "./logapi/fake-time.ts"

/** Whether it has resolved. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false
  void promise.then(() => (over = true))
  await settle()
  return over
}

describe("a bell", () => {
  fakeTime()
  const { signal } = new AbortController()

  test("wakes everybody who waits for more than has been", async () => {
    const bell = new Bell()
    const waits = [bell.past(0, 1_000, signal), bell.past(0, 1_000, signal)]
    expect(await isOver(Promise.race(waits))).toBe(false)
    bell.ring()
    await Promise.all(waits)
    expect(bell.count).toBe(1)
    expect(jest.getTimerCount()).toBe(0)
  })

  test("does not let wait who has missed it", async () => {
    const bell = new Bell()
    bell.ring()
    expect(await isOver(bell.past(0, 1_000, signal))).toBe(true)
    const wait = bell.past(1, 1_000, signal)
    expect(await isOver(wait)).toBe(false)
    bell.ring()
    expect(await isOver(wait)).toBe(true)
  })

  test("lets nobody wait longer than the time given", async () => {
    const bell = new Bell()
    const wait = bell.past(0, 50, signal)
    await elapse(49)
    expect(await isOver(wait)).toBe(false)
    await elapse(1)
    expect(await isOver(wait)).toBe(true)
  })

  test("lets go who is called off, before or while it waits, and keeps nothing of it", async () => {
    const bell = new Bell()
    const leaving = new AbortController()
    const wait = bell.past(0, 1_000, leaving.signal)
    leaving.abort()
    expect(await isOver(wait)).toBe(true)
    expect(await isOver(bell.past(0, 1_000, leaving.signal))).toBe(true)
    expect(jest.getTimerCount()).toBe(0)
  })
})
