import type { Environment, ReadFile } from "../given.ts"

/** The process, as a command sees it. */
export interface Surroundings {
  readonly env: Environment
  readonly readFile: ReadFile
  /** To stdout, and to stderr. */
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal
  /** From now on, calls back when the process is asked to read its configuration again. */
  readonly onReload: (listener: () => void) => void
}
