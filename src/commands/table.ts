/** The commands: what each is for, what it says of itself, and what it does. A word finds it by its name. */
import type { Surroundings } from "./surroundings.ts"
import { KEY_HELP, SERVE_HELP, topHelp, UNIT_HELP } from "./help.ts"
import { makeKey } from "./key.ts"
import { parseConfig } from "../config.ts"
import { quote, UsageError } from "../usage.ts"
import { VERSION } from "../version.ts"

export interface Command {
  /** As the list of commands shows it. */
  readonly usage: string
  readonly summary: string
  /** What `--help` prints; without it, the command is so small that it has none. */
  readonly help?: string
  /** `argv` is what follows the command. Resolves with the exit code. Throws a UsageError, or what went wrong. */
  run(argv: readonly string[], around: Surroundings): number | Promise<number>
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: "serve [options]",
    summary: "serve them",
    help: SERVE_HELP,
    async run(argv, around) {
      const readConfig = () => parseConfig(argv, around.env, around.readFile)
      // Elysia and the runtimes' clients are loaded only when they are needed.
      const { serve } = await import("./serve.ts")
      return serve(readConfig, around)
    },
  },
  key: {
    usage: "key NAME [--apps LIST]",
    summary: "make a key to them",
    help: KEY_HELP,
    run: makeKey,
  },
  unit: {
    usage: "unit [options]",
    summary: "print a systemd unit that serves them with the least rights",
    help: UNIT_HELP,
    async run(argv, around) {
      const { unit } = await import("./unit.ts")
      return unit(argv, around)
    },
  },
  version: {
    usage: "version",
    summary: "print the version",
    run(argv, { print }) {
      refuseWords("version", argv)
      print(`applogs ${VERSION}\n`)
      return 0
    },
  },
  help: {
    usage: "help",
    summary: "print this",
    run(_, { print }) {
      print(topHelp(COMMANDS))
      return 0
    },
  },
}

/** Other spellings. */
export const ALIASES: Readonly<Record<string, string>> = {
  "--version": "version",
  "--help": "help",
  "-h": "help",
}

function refuseWords(command: string, [word]: readonly string[]): void {
  if (word !== undefined) throw new UsageError(quote(word), `${command} takes no options`)
}
