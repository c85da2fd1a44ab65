/** The options of the commands that ask a service. What the API has too is named as there. */
import { type Options, OPTIONS } from "../options.ts"

export const WHERE = {
  localSocket: {
    ...OPTIONS.localSocket,
    help: "the socket of the service on this host, which asks for no key",
  },
  url: {
    kind: "text",
    value: "url",
    default: undefined,
    otherwise: "the local socket",
    help: "the service's address instead, as `http://host:6020`; it asks for a key",
  },
  apiKeyFile: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "the key in `APPLOGS_API_KEY`",
    help: "the file whose first line is the API key; an argument would show it to everybody on this host",
  },
} as const satisfies Options

const FILTER = {
  service: {
    kind: "text",
    value: "name",
    default: undefined,
    otherwise: "all",
    help: "one service only",
  },
  stream: {
    kind: "text",
    value: "name",
    default: undefined,
    otherwise: "both",
    help: "`stdout` or `stderr` only",
  },
  grep: {
    kind: "text",
    value: "text",
    default: undefined,
    otherwise: "all",
    help: "only lines that contain this text",
  },
  since: {
    kind: "text",
    value: "time",
    default: undefined,
    otherwise: "any",
    help: "only lines after this time: `10m`, `1h30m`, `2d` (so long ago), RFC 3339 with a zone, or Unix seconds",
  },
} as const satisfies Options

const NEEDS = {
  kind: "text",
  value: "kinds",
  default: undefined,
  help: "services that the app needs: `all`, `none`, or kinds of them (`postgres,redis`)",
} as const

const LOOK = {
  output: {
    kind: "choice",
    value: "form",
    values: ["text", "json", "raw"],
    default: "text",
    help: "`text` (service and message), `json` (an object a line, as the API's), `raw` (the message alone)",
  },
  times: { kind: "switch", default: "off", help: "begin each line of text with its time" },
  color: {
    kind: "choice",
    value: "when",
    values: ["auto", "always", "never"],
    default: "auto",
    help: "colours, each service's own and those in messages: `auto` is on a terminal, unless `NO_COLOR` is set",
  },
} as const satisfies Options

export const TAIL_OPTIONS = {
  ...FILTER,
  tail: {
    kind: "text",
    value: "number",
    default: undefined,
    otherwise: "`10`; with `--since`, every line behind it",
    help: "begin with the last so many lines, or with `all`",
  },
  needs: { ...NEEDS, otherwise: "`none`, or the one that `--service` names" },
  ...LOOK,
  cursorFile: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "none",
    help: "go on behind what was printed when this file was last written, and keep it up to date",
  },
  ...WHERE,
} as const satisfies Options

export const LOGS_OPTIONS = {
  ...FILTER,
  until: {
    kind: "text",
    value: "time",
    default: undefined,
    otherwise: "now",
    help: "only lines up to this time",
  },
  tail: {
    kind: "text",
    value: "number",
    default: "100",
    help: "the last so many lines, or `all`",
  },
  needs: { ...NEEDS, otherwise: "`all`" },
  ...LOOK,
  ...WHERE,
} as const satisfies Options

export const APPS_OPTIONS = {
  output: {
    kind: "choice",
    value: "form",
    values: ["text", "json"],
    default: "text",
    help: "`text` (a table, a container a row) or `json` (as the API's)",
  },
  ...WHERE,
} as const satisfies Options

export type WhereName = keyof typeof WHERE
export type LookName = keyof typeof LOOK
