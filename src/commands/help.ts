/** What `--help` says. */
import { optionUsage } from "../options.ts"
import type { Command } from "./table.ts"
import { KEY_FILE } from "./unit-file.ts"

export function topHelp(commands: Readonly<Record<string, Command>>): string {
  const all = Object.values(commands)
  const width = Math.max(...all.map(({ usage }) => usage.length))
  const lines = all.map(({ usage, summary }) => `  applogs ${usage.padEnd(width)}   ${summary}\n`)
  const title = "applogs: the logs of a container host's apps over HTTP"
  return `${title}\n\n${lines.join("")}\nA command with options says more with --help.\n`
}

export const KEY_HELP = `applogs key: make a key to the API

  applogs key grafana >>/etc/applogs/keys.toml
  applogs key grafana --apps 'shop,blog-*' >>/etc/applogs/keys.toml

The entry for the key file, which holds the key's hash alone, goes to stdout; the key itself to stderr,
this once. serve takes the file by --api-key-file, and reads it again on SIGHUP.

  --apps <names>
      the apps that the key may see, with * for any text; without it, every app

Exit codes: 0 made, 2 a bad name or option.
`

export const SERVE_HELP = `applogs serve: serve the logs of this host's apps over HTTP

  applogs serve --api-key-file /etc/applogs/keys
  curl --unix-socket /run/applogs/applogs.sock http://localhost/api/apps

Each option is a flag, an environment variable (--tail-max is APPLOGS_TAIL_MAX), and a key of the config
file (tail-max); in this order, the first one wins. On SIGHUP, keys, limits and log level are read again.

${optionUsage()}

Exit codes: 0 ended when asked to (SIGTERM, SIGINT), 1 failed, 2 a bad option.
`

export const UNIT_HELP = `applogs unit: print a systemd unit

  applogs unit --log-source api >/etc/systemd/system/applogs.service

It takes the options of applogs serve, and gives the service the least rights that they need. The API keys are
taken from --api-key-file (default: ${KEY_FILE}) by systemd, so that the service needs no right to read it.
`
