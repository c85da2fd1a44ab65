/** What was looked at, and what was found. */

export interface Finding {
  readonly level: "ok" | "warn" | "fail"
  readonly what: string
  readonly found: string
  /** What to do about it, unless the words before say so. */
  readonly remedy: string
}

export function ok(what: string, found: string): Finding {
  return { level: "ok", what, found, remedy: "" }
}

/** It serves, but for this. */
export function warn(what: string, found: string, remedy = ""): Finding {
  return { level: "warn", what, found, remedy }
}

/** With this, it does not serve. */
export function fail(what: string, found: string, remedy = ""): Finding {
  return { level: "fail", what, found, remedy }
}

/** Names that are listed one by one; of the others, only the number is told. */
const NAMES = 10

export function someOf(names: readonly string[]): string {
  const more = names.length - NAMES
  const listed = names.slice(0, NAMES).join(", ")
  return more > 0 ? `${listed} and ${more} more` : listed
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}

export class Late extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms / 1_000} s`)
  }
}

/** What others do, a plugin too, is waited for no longer than this, whether it heeds the signal or not. */
export async function within<Value>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const call = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    // First: what it fails with, once it is called off, says less.
    reject(new Late(ms))
    call.abort()
  }, ms)
  try {
    return await Promise.race([work(call.signal), late])
  } finally {
    clearTimeout(timer)
    call.abort()
  }
}
