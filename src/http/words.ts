/** A query's words, each at most once, before anybody understands them. */
import { Failure } from "../errors.ts"

export interface Words {
  /** Present without a value reads as empty. */
  get(name: string): string | undefined
  /** Names that mean nothing here, fit for a header. */
  readonly ignored: readonly string[]
}

const IGNORED_LIMIT = 10

/** Throws `invalid_parameter` for a known name that comes twice: which one was meant? */
export function readWords(request: Request, known: readonly string[]): Words {
  const values = new Map<string, string>()
  const ignored = new Set<string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (!known.includes(name)) {
      // The name goes into a header: whatever could end it, or be read as another one, stays out.
      if (ignored.size < IGNORED_LIMIT) ignored.add(/^[\w.-]{1,40}$/.test(name) ? name : "?")
    } else if (values.has(name)) {
      throw invalid(name, "comes more than once: say it once")
    } else {
      values.set(name, value)
    }
  }
  return { get: (name) => values.get(name), ignored: [...ignored] }
}

/** Tells a person of a name that they misspelt. */
export function ignoredHeader({ ignored }: Words): Record<string, string> {
  return ignored.length === 0 ? {} : { "Applogs-Ignored-Params": ignored.join(", ") }
}

/** A Failure that names the parameter, with what would have been right. */
export function invalid(parameter: string, message: string, allowed?: readonly string[]): Failure {
  return new Failure("invalid_parameter", `${parameter} ${message}`, {
    parameter,
    ...(allowed !== undefined && { allowed }),
  })
}

const YES = ["true", "1", "yes", "on", ""]
const NO = ["false", "0", "no", "off"]

/** Present without a value = true. `undefined` for any other word. */
export function readBoolean(word: string): boolean | undefined {
  const lower = word.toLowerCase()
  if (YES.includes(lower)) return true
  return NO.includes(lower) ? false : undefined
}

/** One of the words in `allowed`. */
export function readOneOf<Word extends string>(
  name: string,
  word: string,
  allowed: readonly Word[],
): Word {
  const found = allowed.find((candidate) => candidate === word)
  if (found === undefined) throw invalid(name, `must be one of: ${allowed.join(", ")}`, allowed)
  return found
}
