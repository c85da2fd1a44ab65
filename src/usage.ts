/** What is said to an operator who asked for something that cannot be. */

/** The operator's mistake, in one line that names the option and what is allowed. */
export class UsageError extends Error {
  constructor(source: string, wanted: string) {
    super(`${source}: ${wanted}`)
    this.name = "UsageError"
  }
}

/** Other people's words within a line: no line end, no control character, no end of it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** An error's message, for use within a line. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.trim().split("\n", 1)[0] ?? ""
}
