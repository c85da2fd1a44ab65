import { expect, spyOn, test } from "bun:test"
import { Key, KeySet } from "../../src/http/keys.ts"
import { entryOf } from "./fakes.ts"

const KEY = "0123456789abcdef"
const OTHER = "another-key-of-the-house"
const LONG = "c".repeat(1000)

test("every key of the set is valid, and nothing else is", () => {
  const keys = new KeySet([entryOf(KEY, undefined, "first"), entryOf(OTHER), entryOf(LONG)])
  expect(keys.size).toBe(3)
  expect(keys.find(KEY)?.name).toBe("first")
  expect(new Set([KEY, OTHER, LONG].map((key) => keys.find(key))).size).toBe(3)
  for (const wrong of ["", KEY.slice(1), `${KEY}0`, KEY.toUpperCase(), `${KEY} `, "é"]) {
    expect(keys.find(wrong)).toBeUndefined()
  }
})

test("an empty set knows no key, not even the empty one", () => {
  expect(new KeySet().find("")).toBeUndefined()
})

test("the set holds no key as text", () => {
  expect(Bun.inspect(new KeySet([entryOf(KEY)]), { depth: 10 })).not.toContain(KEY)
})

test("every key is compared, whichever it is, in constant time", () => {
  const compare = spyOn(Key.prototype, "hasHash")
  const keys = new KeySet([entryOf(KEY), entryOf(OTHER), entryOf(LONG)])
  for (const word of [KEY, OTHER, LONG, "", "wrong", `${KEY.slice(0, -1)}x`]) {
    compare.mockClear()
    keys.find(word)
    expect(compare).toHaveBeenCalledTimes(3)
  }
  compare.mockRestore()
  // What each comparison is, its text alone can tell: no clock of a test could.
  expect(Key.prototype.hasHash.toString()).toMatch(/^hasHash\(hash\) {\s*return timingSafeEqual\(/)
})

test("a key sees the apps that its patterns name, or all", () => {
  const key = new Key(entryOf(KEY, ["shop", "blog-*"]))
  expect(["shop", "blog-", "blog-de", "blog", "Shop", ""].map((app) => key.sees(app))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(key.isScoped).toBe(true)
  expect(new Key(entryOf(KEY)).isScoped).toBe(false)
  expect(new Key(entryOf(KEY)).sees("anything")).toBe(true)
})

test("keys that are read again are the same, and those who came with one see what it sees now", () => {
  const keys = new KeySet([entryOf(KEY, undefined, "old"), entryOf(OTHER)])
  const [key, other] = [keys.find(KEY), keys.find(OTHER)]
  const told: string[] = []
  key?.onChange(() => told.push("key"))
  const forget = other?.onChange(() => told.push("other"))
  keys.replace([entryOf(LONG), entryOf(KEY, ["shop"], "new")])
  expect(told.toSorted()).toEqual(["key", "other"])
  expect(keys.find(KEY)).toBe(key)
  expect([key?.name, key?.isScoped, key?.sees("shop"), key?.sees("blog")]).toEqual([
    "new",
    true,
    true,
    false,
  ])
  expect(keys.find(OTHER)).toBeUndefined()
  expect([other?.isScoped, other?.sees("shop")]).toEqual([true, false])
  forget?.()
  keys.replace([entryOf(OTHER)])
  expect(told.length).toBe(3)
  // It was taken away, and is another one now.
  expect(keys.find(OTHER)).not.toBe(other)
})
