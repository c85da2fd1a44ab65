import { expect, test } from "bun:test"
import fc from "fast-check"
import { parseInstant as parse } from "../../src/records/instant.ts"
import { parseRfc3339, toInstant } from "../../src/time.ts"

/** In the middle of other text, as it stands in a file. */
const parseInstant = (text: string) => parse(`1Z${text}1Z`, 2, 2 + text.length)

/** Most of a few seconds, as in a log. */
const instants = fc
  .tuple(fc.nat(2), fc.oneof(fc.nat(999_999_999), fc.constantFrom(0, 5, 120_000_000)))
  .map(([second, ns]) =>
    toInstant(1_700_000_000_000_000_000n + BigInt(second) * 10n ** 9n + BigInt(ns)),
  )

test("a time is what RFC 3339 says of it, however it is written", () => {
  const written = instants.chain((instant) =>
    fc.constantFrom(
      instant,
      instant.replace(/\.?0*Z$/, "Z"),
      instant.replace("Z", "+00:00"),
      instant.replace("Z", "+02:00"),
      instant.replace("Z", "-00:30"),
      instant.replace("Z", "z"),
      instant.replace("T", " "),
      instant.replace("T", "t"),
      instant.replace(/\d{3}Z$/, "z"),
      instant.replace(/\d{3}Z$/, "+02:00"),
    ),
  )
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 8 }), (texts) => {
      for (const text of texts) expect(parseInstant(text)).toBe(parseRfc3339(text) as never)
    }),
    { numRuns: 2_000 },
  )
})

test("a time with any one character changed is one for RFC 3339, too, or is none", () => {
  const changed = fc
    .tuple(instants, fc.nat(29), fc.constantFrom(...Array.from("0129:.Z-T x\0é")))
    .map(([instant, at, char]) => instant.slice(0, at) + char + instant.slice(at + 1))
  fc.assert(
    fc.property(instants, changed, (before, text) => {
      parseInstant(before)
      const parsed = parseRfc3339(text)
      // A fraction of less than nine digits, then something else: none of the two takes it.
      expect(parseInstant(text)).toBe(parsed as never)
    }),
    { numRuns: 5_000 },
  )
})
