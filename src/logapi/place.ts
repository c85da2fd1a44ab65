/**
 * Where a read of a log API stands. The API gives records with times and nothing else, times are
 * no identity, and so a place is said by content:
 *
 * - an **anchor**: a record stamped later than every record before it, so that a read which begins earlier
 *   meets it as the first with that time or a later one;
 * - how many records the place lies behind the anchor (itself included): equal times, parts of long lines
 *   and times that step back are counted, not compared;
 * - a **hash** of the last of these records, so that what was rotated away or rewritten is noticed;
 * - how many lines have come since: a place in the middle of a line is the last place between lines, and the
 *   number of lines to leave out behind it.
 */
import { type Instant, toInstant } from "../time.ts"

export interface Anchor {
  readonly kind: "anchor"
  readonly time: Instant
  /** Records from the anchor on. 0: unknown, for the read began in the middle of the log. */
  readonly count: number
  /** How many records, at most `HASH_DEPTH`, are in `hash`. */
  readonly depth: number
  /** See `foldHashes`. */
  readonly hash: string
}

export type Base =
  | { readonly kind: "beginning" }
  /** Nothing has been seen yet of what is stamped later. */
  | { readonly kind: "after"; readonly time: Instant }
  | Anchor

export interface Place {
  readonly base: Base
  /** Lines that end behind the base and have been handed over. */
  readonly lines: number
  /** Without an anchor: hash of the first record behind the base, to notice when it was rotated away. */
  readonly head?: string
}

export const BEGINNING: Place = { base: { kind: "beginning" }, lines: 0 }

export function formatPlace({ base, lines, head }: Place): string {
  const behind = lines === 0 ? "" : `-${lines.toString(36)}`
  switch (base.kind) {
    case "beginning":
      return `b${head === undefined ? "" : `-${head}`}${behind}`
    case "after":
      return `t${encodeTime(base.time)}${head === undefined ? "" : `-${head}`}${behind}`
    case "anchor": {
      const { time, count, depth, hash } = base
      return `a${encodeTime(time)}-${count.toString(36)}-${depth}-${hash}${behind}`
    }
  }
}

const UNANCHORED = /^(?:b|t([0-9a-z]{1,8}[0-9]{9}))(?:-([0-9a-z]{1,7})-([0-9a-z]{1,7}))?$/
const ANCHORED =
  /^a([0-9a-z]{1,8}[0-9]{9})-([0-9a-z]{1,7})-([1-8])-([0-9a-z]{1,7}(?:_[0-9a-z]{1,7})?)(?:-([0-9a-z]{1,7}))?$/

/** `undefined` for what `formatPlace` cannot have made: a place has one text. */
export function parsePlace(text: string): Place | undefined {
  const place = readPlace(text)
  return place && formatPlace(place) === text ? place : undefined
}

function readPlace(text: string): Place | undefined {
  const anchored = ANCHORED.exec(text)
  if (anchored) {
    const [, time = "", count = "", depth, hash = "", lines = "0"] = anchored
    const base: Anchor = {
      kind: "anchor",
      time: decodeTime(time),
      count: Number.parseInt(count, 36),
      depth: Number(depth),
      hash,
    }
    return { base, lines: Number.parseInt(lines, 36) }
  }
  const unanchored = UNANCHORED.exec(text)
  if (!unanchored) return undefined
  const [, time, head, lines = "0"] = unanchored
  const base: Base =
    time === undefined ? { kind: "beginning" } : { kind: "after", time: decodeTime(time) }
  return { base, lines: Number.parseInt(lines, 36), ...(head !== undefined && { head }) }
}

/** Thousands of lines bear the same second: the last one is remembered. */
let known = { second: "", digits: "" }

/** The second in base 36, and the nine digits behind it as they are. */
function encodeTime(time: Instant): string {
  if (!time.startsWith(known.second) || known.second === "") {
    const second = time.slice(0, 19)
    known = { second, digits: secondDigits(second) }
  }
  return known.digits + time.slice(20, 29)
}

/** `2026-08-20T12:34:56` in base 36. */
function secondDigits(second: string): string {
  return (Date.parse(`${second}Z`) / 1000).toString(36)
}

function decodeTime(digits: string): Instant {
  const seconds = BigInt(Number.parseInt(digits.slice(0, -9), 36))
  return toInstant(seconds * 1_000_000_000n + BigInt(digits.slice(-9)))
}
