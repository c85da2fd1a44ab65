/**
 * applogs' own log lines: `time=… level=info event="runtime up" runtime=docker`. One event is one line,
 * whatever its fields hold: names of containers and messages of engines are other people's data.
 */

export const LEVELS = ["error", "warn", "info", "debug"] as const

export type Level = (typeof LEVELS)[number]

export type Fields = Readonly<Record<string, unknown>>

/** Characters of one value that are kept. */
const VALUE_LIMIT = 500

/** One line with its line end. Fields that are `undefined` are left out. */
export function formatLogLine(time: string, level: Level, event: string, fields: Fields): string {
  let line = `time=${time} level=${level} event=${formatValue(event)}`
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${key}=${formatValue(value)}`
  }
  return `${line}\n`
}

/** An error's message with those of its causes; any other value as text. */
export function describe(value: unknown): string {
  const messages: string[] = []
  let current = value
  // Bounded: a cause may lead back to itself.
  for (let depth = 0; current instanceof Error && depth < 5; depth++) {
    const message = current.message || current.name
    // Many a failure says in its own words what its cause said.
    if (!messages.some((said) => said.includes(message))) messages.push(message)
    current = current.cause
  }
  return messages.length > 0 ? messages.join(": ") : toText(value)
}

/** What a plugin throws may be anything, even what cannot be made into a string. */
function toText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return `a value of type ${typeof value}`
  }
}

function formatValue(value: unknown): string {
  const text = describe(value).slice(0, VALUE_LIMIT)
  if (/^[\w./:@+-]+$/.test(text)) return text
  // JSON leaves C1 controls and the Unicode line ends as they are; a terminal obeys them.
  return JSON.stringify(text).replace(
    /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
