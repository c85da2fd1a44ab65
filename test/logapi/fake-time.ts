/** Time that passes when a test says so, for every timer and clock there is. */
import { afterAll, beforeAll, jest } from "bun:test"

/** Milliseconds: early enough that nanoseconds of this time, and of hours behind it, are whole as numbers. */
const START = 1_000_000_000

/** Fakes time for all tests of the file. */
export function fakeTime(): void {
  beforeAll(() => void jest.useFakeTimers({ now: START }))
  afterAll(() => {
    jest.clearAllTimers()
    jest.useRealTimers()
  })
}

/** Turns the clock back to where it began. Timers keep their distances. */
export function startOver(): void {
  jest.setSystemTime(START)
}

/** Resolves when every promise that can settle without time has. */
export function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** Lets `ms` pass, in steps that grow: what becomes due within a step is done at its end. */
export async function elapse(ms: number): Promise<void> {
  await settle()
  for (let left = ms, step = 1; left > 0; step *= 2) {
    jest.advanceTimersByTime(Math.min(step, left))
    left -= step
    await settle()
  }
}
