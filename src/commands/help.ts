/** What `--help` says. */
import { optionUsage } from "../options.ts"

export const TOP_HELP = `applogs: the logs of a container host's apps over HTTP

  applogs serve [options]   serve them; see applogs serve --help
  applogs version           print the version
`

export const SERVE_HELP = `applogs serve: serve the logs of this host's apps over HTTP

  applogs serve --api-key-file /etc/applogs/keys
  curl --unix-socket /run/applogs/applogs.sock http://localhost/api/apps

Each option is a flag, an environment variable (--tail-max is APPLOGS_TAIL_MAX), and a key of the config
file (tail-max); in this order, the first one wins.

${optionUsage()}

Exit codes: 0 ended when asked to (SIGTERM, SIGINT), 1 failed, 2 a bad option.
`
