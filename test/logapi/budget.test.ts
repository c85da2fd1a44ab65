import { expect, test } from "bun:test"
import { beginReading, bytesAtOnce } from "../../src/logapi/budget.ts"

test("what is read at once of each log gets less as more are read, and more again as they end", () => {
  const alone = bytesAtOnce()
  expect(alone).toBe(262_144)
  const ends = Array.from({ length: 32 }, beginReading)
  expect(bytesAtOnce()).toBe(alone)
  while (ends.length < 1_000) ends.push(beginReading())
  expect(bytesAtOnce() * ends.length).toBeWithin(8_000_000, 8_388_609)
  while (ends.length < 5_000) ends.push(beginReading())
  expect(bytesAtOnce()).toBe(8_192)
  for (const end of ends) end()
  expect(bytesAtOnce()).toBe(alone)
})
