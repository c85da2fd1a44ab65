/** The command line: which command is meant, and what is said of mistakes. */
import { describe } from "../logfmt.ts"
import { quote, UsageError } from "../usage.ts"
import { commandHelp } from "./help.ts"
import type { Surroundings } from "./surroundings.ts"
import { ALIASES, COMMANDS } from "./table.ts"

const SEE = "see applogs --help"

/** Does what `argv` says; resolves with the exit code: 0, 1 (it failed), 2 (it was asked wrongly), or the command's own. */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await dispatch(argv, around)
  } catch (error) {
    const words = error instanceof UsageError ? error.message : describe(error)
    around.complain(`applogs: ${words.replaceAll(/\s*\n\s*/g, " ")}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

function dispatch([word, ...rest]: readonly string[], around: Surroundings) {
  if (word === undefined) throw new UsageError("a command is wanted", SEE)
  const name = ALIASES[word] ?? word
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new UsageError(quote(word), `no such command: ${SEE}`)
  if (command.manual && (rest.includes("--help") || rest.includes("-h"))) {
    around.print(commandHelp(name, command.manual))
    return 0
  }
  return command.run(rest, around)
}
