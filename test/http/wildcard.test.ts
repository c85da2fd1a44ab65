import { expect, test } from "bun:test"
import fc from "fast-check"
import { matches } from "../../src/http/wildcard.ts"

const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = 20_000

/** As one would explain it: a star takes nothing, or one character and goes on. */
function naive(pattern: string, name: string): boolean {
  if (pattern === "") return name === ""
  if (pattern[0] === "*") {
    return naive(pattern.slice(1), name) || (name !== "" && naive(pattern, name.slice(1)))
  }
  return name[0] === pattern[0] && naive(pattern.slice(1), name.slice(1))
}

test.each([
  ["shop", "shop", true],
  ["shop", "shops", false],
  ["shop", "Shop", false],
  ["blog-*", "blog-", true],
  ["blog-*", "blog-de", true],
  ["blog-*", "my-blog-de", false],
  ["*", "", true],
  ["a*a", "a", false],
  ["*ab*ab", "ab", false],
  ["sh.p", "shop", false],
  ["sh?p", "shop", false],
  ["[a-z]*", "shop", false],
  ["*é*", "café-1", true],
])("%j for %j: %p", (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected)
})

test("finds what a naive reading of the pattern finds", () => {
  const text = (...letters: string[]) =>
    fc.string({ unit: fc.constantFrom(...letters), maxLength: 9 })
  let found = 0
  fc.assert(
    fc.property(text("a", "b", "*"), text("a", "b", "*"), (pattern, name) => {
      const expected = naive(pattern, name)
      if (expected) found++
      return matches(pattern, name) === expected
    }),
    { numRuns: RUNS, seed: SEED },
  )
  console.log(`wildcard: seed ${SEED}, ${RUNS} patterns, ${found} match`)
  expect(found).toBeGreaterThan(RUNS / 100)
})

test("takes no long time for a name that was made to take long", () => {
  const begun = performance.now()
  for (let stars = 1; stars <= 100; stars++) {
    expect(matches(`${"a*".repeat(stars)}b`, "a".repeat(16_384))).toBe(false)
  }
  // Were it to try again, not even one of them would ever end.
  expect(performance.now() - begun).toBeLessThan(2_000)
})
