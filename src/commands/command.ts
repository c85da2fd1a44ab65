import type { Options } from "../options.ts"
import type { Surroundings } from "./surroundings.ts"

/** What can be asked of the program, by the word it begins with. */
export interface Command {
  /** As the list of commands shows it. */
  readonly usage: string
  readonly summary: string
  /** What `--help` and the man page say of it; without it, the command is so small that this is all. */
  readonly manual?: Manual
  /** What may stand in the place of its word, where these are few. */
  readonly words?: readonly string[]
  /** `argv` is what follows the command. Resolves with the exit code. Throws a UsageError, or what went wrong. */
  run(argv: readonly string[], around: Surroundings): number | Promise<number>
}

export interface Manual {
  readonly title: string
  /** Lines for a shell. */
  readonly examples: readonly string[]
  /** Paragraphs. */
  readonly text: readonly string[]
  readonly options: Options
  readonly exits: Readonly<Record<number, string>>
}
