/** What `--help` says. */
import { optionUsage, wrap } from "../options.ts"
import type { Command, Manual } from "./command.ts"

export const TITLE = "the logs of a container host's apps over HTTP"

export function topHelp(commands: Readonly<Record<string, Command>>): string {
  const all = Object.values(commands)
  const width = Math.max(...all.map(({ usage }) => usage.length))
  const lines = all.map(({ usage, summary }) => `  applogs ${usage.padEnd(width)}   ${summary}\n`)
  return `applogs: ${TITLE}\n\n${lines.join("")}\nA command with options says more with --help.\n`
}

export function commandHelp(
  name: string,
  { title, examples, text, options, exits }: Manual,
): string {
  const codes = Object.entries(exits).map(([code, why]) => `${code} ${why}`)
  return [
    `applogs ${name}: ${title}`,
    examples.map((line) => `  ${line}`).join("\n"),
    ...text.map((paragraph) => wrap(paragraph.replaceAll("`", ""), 80, "")),
    optionUsage(options),
    wrap(`Exit codes: ${codes.join(", ")}.`, 80, ""),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n")
}
