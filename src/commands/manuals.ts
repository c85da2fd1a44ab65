/** What each command with options says of itself. */
import { EXITS } from "../client/ending.ts"
import { APPS_OPTIONS, LOGS_OPTIONS, TAIL_OPTIONS } from "../client/options.ts"
import { OPTIONS } from "../options.ts"
import type { Manual } from "./command.ts"
import { DOCTOR_OPTIONS } from "./doctor/options.ts"
import { KEY_OPTIONS } from "./key.ts"
import { KEY_FILE } from "./unit-file.ts"

const VARIABLES =
  "Each option is a flag and an environment variable (`--api-key-file` is `APPLOGS_API_KEY_FILE`); the flag wins."

const { 130: interrupted, 143: terminated, ...ENDED_BY_ITSELF } = EXITS

export const SERVE: Manual = {
  title: "serve the logs of this host's apps over HTTP",
  examples: [
    "applogs serve --api-key-file /etc/applogs/keys",
    "curl --unix-socket /run/applogs/applogs.sock http://localhost/api/apps",
  ],
  text: [
    "Each option is a flag, an environment variable (`--tail-max` is `APPLOGS_TAIL_MAX`), and a key of the config file (`tail-max`); in this order, the first one wins.",
    "On SIGHUP, keys, limits and log level are read again.",
  ],
  options: OPTIONS,
  exits: { 0: "ended when asked to (SIGTERM, SIGINT)", 1: "failed", 2: "a bad option" },
}

export const KEY: Manual = {
  title: "make a key to the API",
  examples: [
    "applogs key grafana >>/etc/applogs/keys.toml",
    "applogs key grafana --apps 'shop,blog-*' >>/etc/applogs/keys.toml",
  ],
  text: [
    "The entry for the key file, which holds the key's hash alone, goes to stdout; the key itself to stderr, this once. serve takes the file by `--api-key-file`, and reads it again on SIGHUP.",
  ],
  options: KEY_OPTIONS,
  exits: { 0: "made", 2: "a bad name or option" },
}

export const UNIT: Manual = {
  title: "print a systemd unit",
  examples: ["applogs unit --log-source api >/etc/systemd/system/applogs.service"],
  text: [
    "It takes the options of applogs serve as flags, and gives the service the least rights that they need. What stands in the environment, the service does not see.",
    `The API keys are taken by systemd from \`--api-key-file\` (default: \`${KEY_FILE}\`), so that the service needs no right to read that file, and sees it as it was at its start. A key file that the config file names is read by the service itself, at each reload too.`,
  ],
  options: OPTIONS,
  exits: { 0: "printed", 1: "failed", 2: "a bad option" },
}

export const DOCTOR: Manual = {
  title: "say what would stop this host from serving, and what to do about it",
  examples: [
    "applogs doctor",
    "applogs doctor --runtime podman --api-key-file /etc/applogs/keys.toml",
    "applogs doctor --url https://logs.example.com --api-key-file key",
  ],
  text: [
    "It takes the options of applogs serve, and looks at what that would meet: runtimes, containers and their logs, clock, keys, addresses, limits. It looks with the rights of the user who runs it, starts nothing, and changes nothing; no service needs to run. A line for each finding says `ok`, `warn` (it serves, but for this) or `fail`, and what to do.",
    "With `--url` it looks at what is between here and a service instead: it follows an app through it, without any of its lines, and tells whether the stream is gathered, changed, or cut when it is quiet. This takes up to half a minute.",
  ],
  options: DOCTOR_OPTIONS,
  exits: {
    0: "nothing fails",
    1: "something does",
    2: "a bad option",
    130: interrupted,
    143: terminated,
  },
}

export const TAIL: Manual = {
  title: "follow an app's logs",
  examples: [
    "applogs tail shop",
    "applogs tail shop --service web --grep error --since 10m --times",
    "applogs tail shop --output json --cursor-file /var/lib/mine/shop.cursor | ship",
  ],
  text: [
    "Lines go to stdout; what happens to containers and to the connection is told on stderr, in one line each. A connection that is lost, or a service that is started again, is waited for, and nothing is missed or repeated meanwhile. The first connection must succeed.",
    "With `--cursor-file`, this holds over its own end too: started again, it goes on behind what it printed. Only where it was killed, so that it could not end by itself, what came last, at most what came at once, is printed again.",
    VARIABLES,
  ],
  options: TAIL_OPTIONS,
  exits: { ...ENDED_BY_ITSELF, 130: interrupted, 143: terminated },
}

export const LOGS: Manual = {
  title: "print an app's logs, up to now",
  examples: [
    "applogs logs shop",
    "applogs logs shop --since 1h --until 30m --tail all",
    "applogs logs shop --output raw --url http://host:6020 --api-key-file key",
  ],
  text: ["An app that has stopped is printed too, with its last lines.", VARIABLES],
  options: LOGS_OPTIONS,
  exits: EXITS,
}

export const APPS: Manual = {
  title: "list the apps, with their services and containers",
  examples: ["applogs apps", "applogs apps --output json"],
  text: [
    "A container's guarantee is how far its logs can be trusted: `exact`, or what is less, and why.",
    VARIABLES,
  ],
  options: APPS_OPTIONS,
  exits: EXITS,
}
