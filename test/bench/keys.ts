/** What a wrong key costs, by how much of it is right: were it compared as text, the right beginning would show. */
import { randomBytes } from "node:crypto"
import { hashKey, KeySet } from "../../src/http/keys.ts"
import { median, spread, table } from "./figures.ts"

const KEYS = 10
const ROUNDS = 201
const LOOKUPS = 500

/** The report, to print. */
export function measureKeys(): string {
  const known = Array.from({ length: KEYS }, () => randomBytes(32).toString("hex"))
  const set = new KeySet(known.map((key) => ({ hash: hashKey(key) })))
  const [key = ""] = known
  const wrong = [0, key.length / 2, key.length - 1].map((right) => ({
    name: `${right} of ${key.length} characters right`,
    word: key.slice(0, right) + flip(key.slice(right)),
    nanoseconds: [] as number[],
  }))
  // In turn, so that what else the machine does is everybody's; the first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { word, nanoseconds } of wrong) {
      const begun = Bun.nanoseconds()
      for (let lookup = 0; lookup < LOOKUPS; lookup++) {
        if (set.find(word)) throw new Error("a wrong key was taken for a right one")
      }
      if (round > 0) nanoseconds.push((Bun.nanoseconds() - begun) / LOOKUPS)
    }
  }
  const least = median(wrong[0]?.nanoseconds ?? [])
  const rows = wrong.map(({ name, nanoseconds }) => {
    return [name, spread(nanoseconds, 0), (median(nanoseconds) / least).toFixed(3)]
  })
  return table([[`a wrong key, of ${KEYS} known`, "ns a lookup", "ratio"], ...rows])
}

/** Every digit another one. */
function flip(hex: string): string {
  return hex.replaceAll(/./g, (digit) => (digit === "0" ? "1" : "0"))
}
