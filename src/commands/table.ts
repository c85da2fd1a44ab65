/** The commands: what each is for, what it says of itself, and what it does. A word finds it by its name. */
import { makeKey } from "./key.ts"
import { parseConfig } from "../config.ts"
import { quote, UsageError } from "../usage.ts"
import { VERSION } from "../version.ts"
import type { Command } from "./command.ts"
import { complete, SHELLS } from "./completion.ts"
import { topHelp } from "./help.ts"
import { manPage } from "./man.ts"
import { APPS, DOCTOR, KEY, LOGS, SERVE, TAIL, UNIT } from "./manuals.ts"

export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: "serve [options]",
    summary: "serve them",
    manual: SERVE,
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
    manual: KEY,
    run: makeKey,
  },
  unit: {
    usage: "unit [options]",
    summary: "print a systemd unit that serves them with the least rights",
    manual: UNIT,
    async run(argv, around) {
      const { unit } = await import("./unit.ts")
      return unit(argv, around)
    },
  },
  tail: {
    usage: "tail APP [options]",
    summary: "follow an app's logs",
    manual: TAIL,
    run: async (argv, around) => (await import("./client.ts")).runTail(argv, around),
  },
  logs: {
    usage: "logs APP [options]",
    summary: "print an app's logs, up to now",
    manual: LOGS,
    run: async (argv, around) => (await import("./client.ts")).runLogs(argv, around),
  },
  apps: {
    usage: "apps [options]",
    summary: "list the apps",
    manual: APPS,
    run: async (argv, around) => (await import("./client.ts")).runApps(argv, around),
  },
  doctor: {
    usage: "doctor [options]",
    summary: "say what would stop this host from serving them, and what to do about it",
    manual: DOCTOR,
    async run(argv, around) {
      const { doctor } = await import("./doctor.ts")
      return doctor(argv, around)
    },
  },
  completion: {
    usage: `completion ${SHELLS.join("|")}`,
    summary: "print what lets a shell complete these words",
    words: SHELLS,
    run([shell, ...others], { print }) {
      refuseWords("completion", others)
      print(complete(COMMANDS, shell))
      return 0
    },
  },
  man: {
    usage: "man",
    summary: "print the manual page, for man -l -",
    run(argv, { print }) {
      refuseWords("man", argv)
      print(manPage(COMMANDS))
      return 0
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
