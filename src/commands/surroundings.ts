import type { Environment, ReadFile } from "../given.ts"

/** The process, as a command sees it. */
export interface Surroundings {
  readonly env: Environment
  readonly readFile: ReadFile
  /** To stdout, and to stderr. */
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  /** Much to stdout: resolves once a reader has taken it, rejects when there is none any more (`EPIPE`). */
  readonly output: (text: string) => Promise<void>
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean
  /** Aborts when the process is asked to end; the reason is the name of the process's signal. */
  readonly signal: AbortSignal
  /** From now on, calls back when the process is asked to read its configuration again. */
  readonly onReload: (listener: () => void) => void
}
