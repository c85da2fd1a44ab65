/**
 * Tables of options. A name in one gives the flag (`--tail-max`), the environment variable
 * (`APPLOGS_TAIL_MAX`) and the key of the config file (`tail-max`); usage, README, completions and the man
 * page are made from it. Here is the one of `serve`, and what can be said of each.
 */
import { LEVELS } from "./logfmt.ts"
import { LOG_SOURCES } from "./runtime.ts"

interface Described {
  /** What it is for, in one sentence that starts with a noun. */
  readonly help: string
  /** What the value stands for in usage: `<path>`; a switch has none. */
  readonly value?: string
  /** What is done without it, where `default` alone cannot say it. */
  readonly otherwise?: string
}

export type Option = Described &
  (
    | { readonly kind: "text"; readonly default: string | undefined }
    | {
        readonly kind: "integer"
        readonly min: number
        readonly max: number
        readonly default: number
      }
    | { readonly kind: "choice"; readonly values: readonly string[]; readonly default: string }
    | { readonly kind: "address"; readonly default: string }
    /** `none` switches it off. */
    | { readonly kind: "loopback"; readonly default: string }
    /** On or off: the flag takes no value. */
    | { readonly kind: "switch"; readonly default: "off" }
  )

export type Options = Readonly<Record<string, Option>>

export const OPTIONS = {
  runtime: {
    kind: "text",
    value: "name",
    default: "auto",
    help: "the container runtime: `auto` (the first that answers: docker, podman, nerdctl), one of these, `files`, or the path of a plugin file (`./mine.ts`)",
  },
  dockerSocket: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "`DOCKER_HOST`, else `/var/run/docker.sock`, else the rootless one",
    help: "the Docker Engine's socket",
  },
  podmanSocket: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "`CONTAINER_HOST`, else `/run/podman/podman.sock`, else the rootless one",
    help: "the socket of Podman's service",
  },
  nerdctl: {
    kind: "text",
    value: "path",
    default: "nerdctl",
    help: "the program that knows containerd's containers, by its path or its name on the `PATH`",
  },
  containerdAddress: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "as nerdctl",
    help: "containerd's socket, for nerdctl",
  },
  containerdNamespace: {
    kind: "text",
    value: "name",
    default: undefined,
    otherwise: "as nerdctl",
    help: "containerd's namespace, for nerdctl",
  },
  filesRoot: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "none",
    help: "the directory of the runtime `files`: each `<app>/<service>.log` below it is a service's log",
  },
  logSource: {
    kind: "choice",
    value: "source",
    values: LOG_SOURCES,
    default: "auto",
    help: "where logs are read: `auto` (a container's log file or journal where it can be read, else the runtime's API or CLI), `file`, `api`",
  },
  listen: {
    kind: "address",
    value: "host:port",
    default: "0.0.0.0:6020",
    help: "the address of the API, which asks for a key; port 0 is any free one",
  },
  localSocket: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "`/run/applogs/applogs.sock`, else `$XDG_RUNTIME_DIR/applogs/applogs.sock`",
    help: "the socket for programs on this host, which asks for no key; `none` switches it off",
  },
  localListen: {
    kind: "loopback",
    value: "host:port",
    default: "none",
    help: "a loopback address that asks for no key: every program on this host can use it",
  },
  apiKeyFile: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "no key",
    help: "a file of API keys, one a line, or as `applogs key` prints them; others are `APPLOGS_API_KEY` and the systemd credential `api-key`",
  },
  tailMax: {
    kind: "integer",
    value: "number",
    min: 1,
    max: 1_000_000,
    default: 10_000,
    help: "the most lines that `tail` may ask for; `tail=all` is not bound by it",
  },
  maxStreams: {
    kind: "integer",
    value: "number",
    min: 1,
    max: 100_000,
    default: 1_000,
    help: "the most live streams at once",
  },
  maxStreamsPerKey: {
    kind: "integer",
    value: "number",
    min: 1,
    max: 100_000,
    default: 1_000,
    help: "the most live streams at once with one and the same key",
  },
  maxSnapshots: {
    kind: "integer",
    value: "number",
    min: 1,
    max: 10_000,
    default: 32,
    help: "the most snapshots that are read at once",
  },
  maxLineBytes: {
    kind: "integer",
    value: "bytes",
    min: 65_536,
    max: 16_777_216,
    default: 1_048_576,
    help: "the longest line that is handed over in one piece; of a longer one, all pieces but the last are flagged `partial`",
  },
  headerSeconds: {
    kind: "integer",
    value: "seconds",
    min: 1,
    max: 60,
    default: 10,
    help: "how long a connection may take to say what it wants",
  },
  ringBytes: {
    kind: "integer",
    value: "bytes",
    min: 65_536,
    max: 1_073_741_824,
    default: 8_388_608,
    help: "what is kept of each app's newest lines while it has live clients, about; a client that falls further behind reads the logs again",
  },
  config: {
    kind: "text",
    value: "path",
    default: undefined,
    otherwise: "no file",
    help: "a TOML file whose keys are these flags without the dashes",
  },
  logLevel: {
    kind: "choice",
    value: "level",
    values: LEVELS,
    default: "info",
    help: `how much applogs logs of itself: ${LEVELS.map((level) => `\`${level}\``).join(", ")}`,
  },
} as const satisfies Options

export type OptionName = keyof typeof OPTIONS

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[]

export function keyOf(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
}

export function flagOf(name: string): string {
  return `--${keyOf(name)}`
}

export function variableOf(name: string): string {
  return `APPLOGS_${keyOf(name).replaceAll("-", "_").toUpperCase()}`
}

/** A table as the README shows it. */
export function optionTable(options: Options = OPTIONS): string {
  const rows = Object.entries(options).map(([name, option]) => {
    return `| \`${flagOf(name)}\` | \`${variableOf(name)}\` | ${defaultOf(option)} | ${option.help} |`
  })
  const head = ["| flag | environment | default | what it is |", "| --- | --- | --- | --- |"]
  return [...head, ...rows, ""].join("\n")
}

/** A table as `--help` shows it. */
export function optionUsage(options: Options = OPTIONS): string {
  return Object.entries(options)
    .map(([name, option]) => {
      const words = `${option.help} (default: ${defaultOf(option)})`.replaceAll("`", "")
      return `  ${usageOf(name, option)}\n${wrap(words, 74, "      ")}`
    })
    .join("\n")
}

/** The flag with what it takes: `--tail-max <number>`. */
export function usageOf(name: string, { value }: Option): string {
  return value === undefined ? flagOf(name) : `${flagOf(name)} <${value}>`
}

/** In Markdown. */
export function defaultOf(option: Option): string {
  return option.otherwise ?? `\`${option.default ?? "none"}\``
}

/** At blanks. */
export function wrap(text: string, width: number, indent: string): string {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string
    if (line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.map((line) => indent + line).join("\n")
}
