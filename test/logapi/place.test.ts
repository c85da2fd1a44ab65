import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Base, formatPlace, parsePlace, type Place } from "../../src/logapi/place.ts"
import { POSITION } from "../../src/runtime.ts"
import { toInstant } from "../../src/time.ts"

const WORD = 2 ** 32

const times = fc.bigInt({ min: 0n, max: 253_402_300_799_999_999_999n }).map(toInstant)
const words = fc.maxSafeNat().map((number) => (number % WORD).toString(36))
const counts = fc.oneof(fc.nat(9), fc.nat(2 ** 31))

const anchors: fc.Arbitrary<Base> = fc
  .record({
    time: times,
    count: counts,
    depth: fc.integer({ min: 1, max: 8 }),
    hash: fc.oneof(
      words,
      fc.tuple(words, words).map((both) => both.join("_")),
    ),
  })
  .map((anchor) => ({ kind: "anchor", ...anchor }))

/** Lines behind a base that is no anchor are told by the record that they begin with. */
const unanchored: fc.Arbitrary<Place> = fc
  .tuple(
    fc.oneof<fc.Arbitrary<Base>[]>(
      fc.constant({ kind: "beginning" }),
      times.map((time) => ({ kind: "after", time })),
    ),
    counts,
    words,
  )
  .map(([base, lines, head]) => (lines === 0 ? { base, lines } : { base, lines, head }))

const places = fc.oneof(
  unanchored,
  fc.tuple(anchors, counts).map(([base, lines]) => ({ base, lines })),
)

describe("a place", () => {
  test("comes back from its text as it was", () => {
    fc.assert(
      fc.property(places, (place) => {
        const text = formatPlace(place)
        expect(text).toMatch(POSITION)
        expect(parsePlace(text)).toEqual(place)
      }),
      { numRuns: 5_000 },
    )
  })

  test("is read from nothing but its own text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[abt][0-9a-z-]{0,40}$/)), (text) => {
        const place = parsePlace(text)
        if (!place) return
        // Numbers may have been written with zeros before them; a time may lie behind the last one.
        const again = parsePlace(formatPlace(place))
        expect(again).toEqual(place)
      }),
      { numRuns: 5_000 },
    )
    for (const text of [
      "",
      "b-1",
      "t",
      "t-1",
      "a1-1-1",
      "a1-1-9-x",
      "a1-1-0-x",
      "b-x-1-1",
      "B",
      "a",
    ]) {
      expect(parsePlace(text)).toBeUndefined()
    }
  })

  test("of a client's making reads as a place, or as none, and never throws", () => {
    fc.assert(
      fc.property(places, fc.nat(), fc.string({ maxLength: 3 }), (place, at, put) => {
        const text = formatPlace(place)
        const cut = at % (text.length + 1)
        const mutated = text.slice(0, cut) + put + text.slice(cut + put.length)
        const read = parsePlace(mutated)
        if (read) expect(read.lines).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 5_000 },
    )
  })
})
