import { expect, test } from "bun:test"
import { AnchorTracker } from "../../src/logapi/anchor.ts"
import type { LogRecord } from "../../src/records/record.ts"
import { stamp } from "../records/wire.ts"

const record = (second: number): LogRecord => ({
  stream: "stdout",
  timestamp: stamp(second * 1e9),
  text: "",
  ended: true,
})

test("how many records bear a time is known where a read cannot have begun among them", () => {
  const [begun, joined] = [new AnchorTracker(true), new AnchorTracker(false)]
  for (const tracker of [begun, joined]) tracker.push(record(5))
  expect(begun.countOf(stamp(5e9))).toBe(1)
  expect(joined.countOf(stamp(5e9))).toBeUndefined()
  for (const tracker of [begun, joined]) {
    expect(tracker.countOf(stamp(4e9))).toBeUndefined()
    expect(tracker.countOf(stamp(6e9))).toBe(0)
    tracker.push(record(6))
    tracker.push(record(6))
    expect(tracker.countOf(stamp(6e9))).toBe(2)
  }
})
