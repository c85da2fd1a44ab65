/** What a wrong key costs, by how much of it is right: were it compared as text, the right beginning would show. */
import { randomBytes } from "node:crypto"
import { hashKey, KeySet } from "../../src/http/keys.ts"
import { pairedT, spread, table, verdict } from "./figures.ts"

const KEYS = 10
const ROUNDS = 1_001
const LOOKUPS = 100
/** Beyond it, dudect calls a difference proven. */
const MOST_T = 4.5

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
  // Side by side and in any order, so that what else the machine does is everybody's; some are for the compiler.
  for (let round = -ROUNDS / 10; round < ROUNDS; round++) {
    for (const { word, nanoseconds } of shuffled(wrong)) {
      const begun = Bun.nanoseconds()
      for (let lookup = 0; lookup < LOOKUPS; lookup++) {
        if (set.find(word)) throw new Error("a wrong key was taken for a right one")
      }
      if (round >= 0) nanoseconds.push((Bun.nanoseconds() - begun) / LOOKUPS)
    }
  }
  const none = wrong[0]?.nanoseconds ?? []
  const rows = wrong.map(({ name, nanoseconds }) => {
    const isOther = nanoseconds !== none
    return [name, spread(nanoseconds, 0), isOther ? pairedT(nanoseconds, none).toFixed(2) : ""]
  })
  const isAlike = wrong.slice(1).every((each) => pairedT(each.nanoseconds, none) < MOST_T)
  const head = [`a wrong key, of ${KEYS} known`, "ns a lookup", "t, beside the first"]
  return `${table([head, ...rows])}\n  t under ${MOST_T} ${verdict(isAlike)}`
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Every digit another one. */
function flip(hex: string): string {
  return hex.replaceAll(/./g, (digit) => (digit === "0" ? "1" : "0"))
}
