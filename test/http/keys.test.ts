import { expect, test } from "bun:test"
import { createKeySet, parseKeys } from "../../src/http/keys.ts"

const KEY = "0123456789abcdef"

test("every key of the set is valid, and nothing else is", () => {
  const keys = createKeySet([KEY, "another-key-of-the-house", "c".repeat(1000)])
  expect(keys.size).toBe(3)
  expect(keys.find(KEY)).toBe(0)
  expect(keys.find("another-key-of-the-house")).toBe(1)
  expect(keys.find("c".repeat(1000))).toBe(2)
  for (const wrong of ["", KEY.slice(1), `${KEY}0`, KEY.toUpperCase(), `${KEY} `, "é"]) {
    expect(keys.find(wrong)).toBeUndefined()
  }
})

test("an empty set knows no key, not even the empty one", () => {
  expect(createKeySet([]).find("")).toBeUndefined()
})

test("a key that could be guessed is refused, without repeating it", () => {
  expect(() => createKeySet(["only15character"])).toThrow("fewer than 16 characters")
  expect(() => createKeySet([KEY, "short"])).toThrow(/^API key 2 has fewer/)
  expect(() => createKeySet([KEY, "short"])).not.toThrow(/short(?!er)/)
})

test("a key that no header can carry is refused when it is loaded, not when it is used", () => {
  for (const key of [`${KEY} x`, `${KEY},`, `é${KEY}`, `${KEY}=a`, `"${KEY}"`]) {
    expect(() => createKeySet([key])).toThrow("may only have letters")
  }
  expect(createKeySet([`${KEY}-._~+/==`]).find(`${KEY}-._~+/==`)).toBe(0)
})

test("a key file has one key a line, with comments, blanks and any line end", () => {
  const text = `# the dashboard\r\n  ${KEY}  \n\n\t\nabcdef0123456789 # the script\r#nothing`
  expect(parseKeys(text)).toEqual([KEY, "abcdef0123456789"])
  expect(parseKeys("")).toEqual([])
  expect(parseKeys("\n# only words\n")).toEqual([])
})

test("the set holds no key as text", () => {
  expect(Bun.inspect(createKeySet([KEY]), { depth: 10 })).not.toContain(KEY)
})
