/**
 * Nanosecond instants and durations. A JS number cannot hold a nanosecond of this century (its step
 * there is 240 ns), so an instant is text, and arithmetic is done on bigints.
 */

/** `2026-08-20T12:34:56.123456789Z`: UTC, always nine digits, so that text order is time order. */
export type Instant = string & { readonly __brand: "Instant" }

/** All instants are equally long, and ASCII. */
export const INSTANT_BYTES = 30

const SECOND = 1_000_000_000n
/** 9999-12-31T23:59:59.999999999Z: the last instant that the text form can say. */
const LAST = 253_402_300_800n * SECOND - 1n

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d\d):(\d\d))$/

/** Nanoseconds since 1970 as an instant. Clamped to what the text form can say (1970 … 9999). */
export function toInstant(nanoseconds: bigint): Instant {
  const ns = nanoseconds < 0n ? 0n : nanoseconds > LAST ? LAST : nanoseconds
  const whole = new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 20)
  return `${whole}${(ns % SECOND).toString().padStart(9, "0")}Z` as Instant
}

/** Nanoseconds since 1970. */
export function toNanoseconds(instant: Instant): bigint {
  return BigInt(Date.parse(`${instant.slice(0, 19)}Z`)) * 1_000_000n + BigInt(instant.slice(20, 29))
}

/** The instant `nanoseconds` later (earlier, if negative). */
export function shift(instant: Instant, nanoseconds: bigint): Instant {
  return toInstant(toNanoseconds(instant) + nanoseconds)
}

/** The wall clock, to the millisecond. */
export function now(): Instant {
  return toInstant(BigInt(Date.now()) * 1_000_000n)
}

/** By this machine's clock; zero for what bears a later time. */
export function secondsSince(instant: Instant): number {
  return Math.max(0, Number(toNanoseconds(now()) - toNanoseconds(instant)) / 1e9)
}

/** Reads RFC 3339 with a zone and up to nine fraction digits; `undefined` for anything else. */
export function parseRfc3339(text: string): Instant | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = "", , sign, zoneHour, zoneMinute] =
    match
  // Date.parse rolls 30 February over instead of refusing it: only a round trip tells.
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const ms = Date.parse(`${local}Z`)
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== local) return undefined
  if (Number(zoneHour ?? 0) > 23 || Number(zoneMinute ?? 0) > 59) return undefined
  const offset = BigInt(Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * 60n * SECOND
  const ns = BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"))
  const utc = sign === "-" ? ns + offset : ns - offset
  return utc < 0n || utc > LAST ? undefined : toInstant(utc)
}

const UNITS: Readonly<Record<string, bigint>> = {
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3_600n * SECOND,
  d: 86_400n * SECOND,
  w: 604_800n * SECOND,
}

/** Reads `90s`, `10m`, `1h30m`, `2d`, `1.5h` as nanoseconds; `undefined` for anything else. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > 32 || !/^(?:\d+(?:\.\d{1,9})?(?:ms|[smhdw]))+$/.test(text)) return undefined
  let total = 0n
  for (const [, whole, fraction = "", unit] of text.matchAll(/(\d+)(?:\.(\d+))?(ms|[smhdw])/g)) {
    const scale = UNITS[unit as string] as bigint
    total +=
      BigInt(whole as string) * scale + (BigInt(fraction.padEnd(9, "0")) * scale) / 1_000_000_000n
  }
  return total
}

/** Reads Unix seconds with an optional fraction (`1755693296.123456789`); `undefined` otherwise. */
export function parseUnixSeconds(text: string): Instant | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text)
  if (!match) return undefined
  const ns = BigInt(match[1] as string) * SECOND + BigInt((match[2] ?? "").padEnd(9, "0"))
  return ns > LAST ? undefined : toInstant(ns)
}

/** Unix seconds with nine fraction digits, as the engines' `since` and `until` take them. */
export function toUnixSeconds(instant: Instant): string {
  const ns = toNanoseconds(instant)
  return `${ns / SECOND}.${(ns % SECOND).toString().padStart(9, "0")}`
}
