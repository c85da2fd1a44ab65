/** Query parameters as the engine understands them. */
import type { EventQuery } from "./events.ts"

const SECOND = 1_000_000_000n

/** Asks for something that the fake does not model: a test that wants it must teach it first. */
export class NotModelled extends Error {}

/** Throws `NotModelled` for any parameter but these. */
export function assertKnown(search: URLSearchParams, known: readonly string[]): void {
  const unknown = [...search.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) throw new NotModelled(`parameter ${unknown}`)
}

export function isTrue(value: string | null): boolean {
  return !["", "0", "no", "false", "none"].includes((value ?? "").trim().toLowerCase())
}

/** `<seconds>[.<fraction>]` as nanoseconds. Throws the engine's message for anything else. */
export function parseTime(text: string | null): bigint | undefined {
  if (text === null || text === "") return undefined
  const [seconds = "", fraction] = text.split(/\.(.*)/s, 2)
  for (const part of fraction === undefined ? [seconds] : [seconds, fraction]) {
    if (!/^[+-]?\d+$/.test(part)) {
      throw new Error(`strconv.ParseInt: parsing ${JSON.stringify(part)}: invalid syntax`)
    }
  }
  return BigInt(seconds) * SECOND + BigInt((fraction ?? "").padEnd(9, "0").slice(0, 9))
}

export function parseEventQuery(search: URLSearchParams): EventQuery {
  assertKnown(search, ["since", "until", "filters"])
  const since = parseTime(search.get("since"))
  const until = parseTime(search.get("until"))
  const { type, event, ...others } = parseFilters(search.get("filters"))
  const [other] = Object.keys(others)
  if (other !== undefined) throw new NotModelled(`filter ${other}`)
  return {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(type ? { types: type } : {}),
    ...(event ? { actions: event } : {}),
  }
}

/** `{"type":["container"]}`, or `{"type":{"container":true}}` as older clients write it. */
export function parseFilters(text: string | null): Partial<Record<string, readonly string[]>> {
  if (text === null || text === "") return {}
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== "object" || parsed === null) throw new Error("invalid filter")
  const filters: Record<string, readonly string[]> = {}
  for (const [key, value] of Object.entries(parsed)) {
    filters[key] = Array.isArray(value) ? value.map(String) : Object.keys(value as object)
  }
  return filters
}
