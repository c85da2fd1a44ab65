/** What `--help` says. */
import { optionUsage } from "../options.ts"
import type { Command } from "./table.ts"

export function topHelp(commands: Readonly<Record<string, Command>>): string {
  const all = Object.values(commands)
  const width = Math.max(...all.map(({ usage }) => usage.length))
  const lines = all.map(({ usage, summary }) => `  applogs ${usage.padEnd(width)}   ${summary}\n`)
  const title = "applogs: the logs of a container host's apps over HTTP"
  return `${title}\n\n${lines.join("")}\nA command with options says more with --help.\n`
}

export const SERVE_HELP = `applogs serve: serve the logs of this host's apps over HTTP

  applogs serve --api-key-file /etc/applogs/keys
  curl --unix-socket /run/applogs/applogs.sock http://localhost/api/apps

Each option is a flag, an environment variable (--tail-max is APPLOGS_TAIL_MAX), and a key of the config
file (tail-max); in this order, the first one wins.

${optionUsage()}

Exit codes: 0 ended when asked to (SIGTERM, SIGINT), 1 failed, 2 a bad option.
`
