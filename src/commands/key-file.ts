/**
 * The text of a place that holds API keys. Either each line is a key, as it is sent; or it is TOML, with a table for
 * each key, which holds the key's hash alone. A message names the entry, and never holds what may be a key or a hash:
 * what stands in the wrong place may be one.
 */
import type { Given } from "../given.ts"
import { hashKey, type KeyEntry } from "../http/keys.ts"
import { UsageError } from "../usage.ts"

/** Shorter keys could be guessed. */
const KEY_MINIMUM = 16

/** What a Bearer header can carry (RFC 6750, b64token). */
const KEY = /^[A-Za-z0-9._~+/-]+=*$/

/** As TOML takes it without quotes; shorter than keys are, so that none is taken for a name. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/

export const NAME_WANTED = "a name of up to 32 letters, digits, - and _ is wanted"

const MIXED =
  "plain keys and entries of keys are wanted in different places: both may be valid at once"

const HASH = /^sha256:([0-9a-f]{64})$/i

/** Throws a UsageError. */
export function parseKeyFile({ source, text }: Given): KeyEntry[] {
  const lines = significant(text)
  if (lines.length === 0) throw new UsageError(source, "a key on a line of its own is wanted")
  // No key begins so.
  if (lines[0]?.startsWith("[")) return parseTables(source, text)
  if (lines.some((line) => line.startsWith("["))) throw new UsageError(source, MIXED)
  return lines.map((key, index) => {
    const which = lines.length === 1 ? "the API key" : `API key ${index + 1}`
    if (key.length < KEY_MINIMUM) {
      const advice = `has fewer than ${KEY_MINIMUM} characters: make a longer one`
      throw new UsageError(source, `${which} ${advice}`)
    }
    if (!KEY.test(key)) {
      const allowed = "may only have letters, digits and the characters -._~+/="
      throw new UsageError(source, `${which} ${allowed}`)
    }
    return { hash: hashKey(key) }
  })
}

export function isKeyName(text: string): boolean {
  return NAME.test(text)
}

/** Whether a name of an app could be meant: no app's has a character that nobody sees, or is blank. */
export function isPattern(text: unknown): boolean {
  return typeof text === "string" && /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(text) && /\S/.test(text)
}

/** An entry as the file has it, for the key that is handed out with it. */
export function formatKeyEntry({ name, hash, apps }: KeyEntry & { readonly name: string }): string {
  const lines = [`[${name}]`, `hash = "sha256:${Buffer.from(hash).toString("hex")}"`]
  // What JSON writes for a text, TOML reads as the same.
  if (apps) lines.push(`apps = [${apps.map((app) => JSON.stringify(app)).join(", ")}]`)
  return lines.map((line) => `${line}\n`).join("")
}

/** The lines, without blank ones, and without what follows a `#`. */
function significant(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "")
}

function parseTables(source: string, text: string): KeyEntry[] {
  return Object.entries(readToml(source, text)).map(([name, table], index) =>
    parseTable(source, isKeyName(name) ? name : undefined, index + 1, table),
  )
}

function parseTable(
  source: string,
  name: string | undefined,
  number: number,
  table: unknown,
): KeyEntry {
  const refuse = (wanted: string) =>
    new UsageError(`${source}: ${name ?? `entry ${number}`}`, wanted)
  if (name === undefined) throw refuse(NAME_WANTED)
  if (typeof table !== "object" || table === null || Array.isArray(table)) {
    throw refuse(`a table is wanted: [${name}]`)
  }
  const { hash, apps, ...others } = table as Readonly<Record<string, unknown>>
  if (Object.keys(others).length > 0) throw refuse("nothing but hash and apps may stand in it")
  const hex = typeof hash === "string" ? HASH.exec(hash)?.[1] : undefined
  if (hex === undefined) throw refuse('hash = "sha256:<64 hexadecimal digits>" is wanted')
  const entry = { name, hash: Uint8Array.from(Buffer.from(hex, "hex")) }
  if (apps === undefined) return entry
  if (!isPatterns(apps)) throw refuse('apps = ["shop", "blog-*"] is wanted, or no apps for all')
  return { ...entry, apps }
}

function isPatterns(apps: unknown): apps is string[] {
  return Array.isArray(apps) && apps.length > 0 && apps.every(isPattern)
}

/** What the parser says of a mistake may hold the text that it is in. */
function readToml(source: string, text: string): object {
  try {
    return Bun.TOML.parse(text)
  } catch (error) {
    const isDoubled = error instanceof Error && error.message.includes("redefine")
    const wanted = "TOML is wanted, with an entry for each key as `applogs key` prints it"
    throw new UsageError(source, isDoubled ? "a name is given twice" : wanted)
  }
}
