import { expect, test } from "bun:test"
import { chmodSync } from "node:fs"
import { hashKey } from "../../../src/http/keys.ts"
import { Host } from "./consult.ts"

const KEY = "k".repeat(32)
const ENTRY = `[a]\nhash = "sha256:${Buffer.from(hashKey("x".repeat(32))).toString("hex")}"\n`

const CASES: readonly {
  readonly env: Readonly<Record<string, string>>
  readonly text?: string
  readonly expected: string
}[] = [
  {
    env: {},
    expected:
      "warn  keys: none is seen here, and without one the API answers 503: applogs key makes one; --api-key-file, or the credential api-key, hands it over",
  },
  { env: {}, text: KEY, expected: "ok    keys: 1 key from --api-key-file" },
  {
    env: { APPLOGS_API_KEY: KEY },
    text: ENTRY,
    expected: "ok    keys: 2 keys from --api-key-file, APPLOGS_API_KEY",
  },
  {
    env: {},
    text: "short",
    expected:
      "fail  keys: --api-key-file: the API key has fewer than 16 characters: make a longer one",
  },
  {
    env: {},
    text: `[a]\nkey = "${KEY}"\n`,
    expected: "fail  keys: --api-key-file: a: nothing but hash and apps may stand in it",
  },
]

test.each(CASES)("keys: $expected", async ({ env, text, expected }) => {
  using host = new Host()
  const words = text === undefined ? [] : ["--api-key-file", host.write("keys", text)]
  expect(await host.about("keys", words, env)).toEqual([expected])
})

test("a plain key that everybody may read is told; a hash may be read", async () => {
  using host = new Host()
  const file = host.write("keys", `${KEY}\n`)
  chmodSync(file, 0o644)
  expect(await host.about("keys", ["--api-key-file", file])).toEqual([
    "ok    keys: 1 key from --api-key-file",
    "warn  keys: HERE/keys holds a plain key, and everybody on this host may read it: chmod o= HERE/keys, or keep the hashes alone: applogs key",
  ])
  expect(await host.about("keys", [], { APPLOGS_API_KEY_FILE: file })).toHaveLength(2)
  host.write("keys", ENTRY)
  expect(await host.about("keys", ["--api-key-file", file])).toHaveLength(1)
})
