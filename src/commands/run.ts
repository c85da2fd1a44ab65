/** The command line: which command is meant, and what is said of mistakes. */
import { parseConfig } from "../config.ts"
import type { Environment, ReadFile } from "../given.ts"
import { describe } from "../logfmt.ts"
import { quote, UsageError } from "../usage.ts"
import { VERSION } from "../version.ts"
import { SERVE_HELP, TOP_HELP } from "./help.ts"

/** The process, as a command sees it. */
export interface Surroundings {
  readonly env: Environment
  readonly readFile: ReadFile
  /** To stdout, and to stderr. */
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal
}

/** Does what `argv` says; resolves with the exit code: 0, 1 (it failed) or 2 (it was asked wrongly). */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await dispatch(argv, around)
  } catch (error) {
    const words = error instanceof UsageError ? error.message : describe(error)
    around.complain(`applogs: ${words.replaceAll(/\s*\n\s*/g, " ")}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function dispatch(argv: readonly string[], around: Surroundings): Promise<number> {
  const [command, ...rest] = argv
  switch (command) {
    case "serve": {
      if (rest.includes("--help") || rest.includes("-h")) return say(SERVE_HELP, around)
      const config = parseConfig(rest, around.env, around.readFile)
      // Elysia and the runtimes' clients are loaded only when they are needed.
      const { serve } = await import("./serve.ts")
      return serve(config, around)
    }
    case "version":
    case "--version":
      refuseWords(command, rest)
      return say(`applogs ${VERSION}\n`, around)
    case "help":
    case "--help":
    case "-h":
      return say(TOP_HELP, around)
    case undefined:
      throw new UsageError("a command is wanted", "serve or version; see applogs --help")
    default:
      throw new UsageError(quote(command), "no such command: serve or version; see applogs --help")
  }
}

function say(text: string, { print }: Surroundings): number {
  print(text)
  return 0
}

function refuseWords(command: string, rest: readonly string[]): void {
  if (rest[0] !== undefined) throw new UsageError(quote(rest[0]), `${command} takes no options`)
}
