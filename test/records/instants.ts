/** Instants of all the time that there is. */
import fc from "fast-check"
import { type Instant, toInstant } from "../../src/time.ts"

const SECOND = 1_000_000_000n
/** 10,000 AD, where instants end. */
const END = 253_402_300_800n * SECOND

/** Any that can be said, and the days around which calendars differ. */
export const instants: fc.Arbitrary<Instant> = fc
  .oneof(
    fc.bigInt(0n, END - 1n),
    fc
      .tuple(
        fc.constantFrom(1970, 1972, 1999, 2000, 2026, 2038, 2100, 2106, 2400, 9999),
        fc.constantFrom("01-01", "02-28", "03-01", "12-31"),
        fc.nat(86_399),
      )
      .map(([year, day, second]) => {
        return BigInt(Date.parse(`${year}-${day}T00:00:00Z`)) * 1_000_000n + BigInt(second) * SECOND
      }),
  )
  .map(toInstant)
