/** The text of a systemd unit: what a service of this kind needs, and no more. */

/** Where the API keys are, unless somebody says otherwise. */
export const KEY_FILE = "/etc/applogs/keys.toml"

export interface UnitOptions {
  /** `docker`, `podman`, `nerdctl`, `files`, or the path of a plugin file. */
  readonly runtime: string
  /** Whether log files are read, beside or instead of the engine's API. */
  readonly readsFiles: boolean
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** Where systemd finds the API keys; absent: the service reads them by itself. */
  readonly keyFile?: string | undefined
  /** What `applogs unit` was given. */
  readonly argv: readonly string[]
}

export function formatUnit(options: UnitOptions): string {
  const { runtime, command, keyFile, argv } = options
  const { after, rights, memory, tasks, proc } = needsOf(options)
  return `# Made by: ${formatCommand(["applogs", "unit", ...argv])}
[Unit]
Description=The logs of this host's apps over HTTP (${runtime.replaceAll("%", "%%")})
Wants=network-online.target
# After it, and not required: while the engine is down, requests are told so.
After=${["network-online.target", ...after].join(" ")}
StartLimitIntervalSec=60
StartLimitBurst=10

[Service]
Type=notify
ExecStart=${formatCommand(command)}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
# A bad option does not get better.
RestartPreventExitStatus=2
RestartSec=1s
WatchdogSec=30s
TimeoutStopSec=15s
KillMode=mixed
${(keyFile === undefined ? [] : credential(keyFile)).join("\n")}
RuntimeDirectory=applogs
RuntimeDirectoryMode=0755
LimitNOFILE=65536
MemoryHigh=${memory.high}
MemoryMax=${memory.max}
TasksMax=${tasks}

${rights.join("\n")}
NoNewPrivileges=yes
UMask=0077
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
${proc.join("\n")}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
DevicePolicy=closed
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: it would take away the compiler of the JavaScript engine, and sd_notify.

[Install]
WantedBy=multi-user.target
`
}

function credential(keyFile: string): string[] {
  return [
    "# Read by systemd as root: the service sees a copy, made at its start. Without the file it starts, and answers that",
    "# it has no key.",
    `LoadCredential=api-key:${keyFile.replaceAll("%", "%%")}`,
    "SetCredential=api-key:\\n",
  ]
}

interface Needs {
  readonly after: readonly string[]
  /** Whose rights it has, and why. */
  readonly rights: readonly string[]
  readonly memory: { readonly high: string; readonly max: string }
  readonly tasks: number
  /** What it sees of other processes. */
  readonly proc: readonly string[]
}

const ALONE = ["ProtectProc=invisible", "ProcSubset=pid"]
const OWN = { memory: { high: "384M", max: "512M" }, tasks: 128, proc: ALONE }

/** Programs are run: nerdctl for each question to containerd, journalctl for each journal that is followed. */
const PROGRAMS = { memory: { high: "768M", max: "1G" }, tasks: 512 }

const NO_CAPABILITY = ["CapabilityBoundingSet=", "AmbientCapabilities="]

/** A user of its own, with nobody else's rights. */
const NOBODY = ["DynamicUser=yes"]

/** The root of a user namespace of its own has no rights outside, and so none that were given to it here. */
const READS_NO_FILES = [...NO_CAPABILITY, "PrivateUsers=yes"]

const READS_FILES = [
  "# Log files belong to root. This reads any file, and writes none: without it (and with --log-source api) the",
  "# engine's API is what is read.",
  "AmbientCapabilities=CAP_DAC_READ_SEARCH",
  "CapabilityBoundingSet=CAP_DAC_READ_SEARCH",
]

const ROOT = [
  "# As root, for its socket and its log files are root's alone; but with none of root's capabilities.",
]

function needsOf({ runtime, readsFiles }: UnitOptions): Needs {
  const reading = readsFiles ? READS_FILES : READS_NO_FILES
  switch (runtime) {
    case "docker": {
      const group = [
        "# The group of the engine's socket. Who may use that is as good as root: applogs only ever asks it to list,",
        "# inspect, and give logs and events.",
        "SupplementaryGroups=docker",
      ]
      return { ...OWN, after: ["docker.service"], rights: [...NOBODY, ...group, ...reading] }
    }
    case "podman":
      return {
        ...OWN,
        ...(readsFiles && PROGRAMS),
        after: ["podman.socket"],
        rights: [...ROOT, ...NO_CAPABILITY],
      }
    case "nerdctl":
      return {
        after: ["containerd.service"],
        ...PROGRAMS,
        rights: [...ROOT, ...NO_CAPABILITY],
        // Whether a container's logger still runs is told by /proc/locks.
        proc: [],
      }
    case "files":
      return { ...OWN, after: [], rights: [...NOBODY, ...reading] }
    default:
      return { ...OWN, after: [], rights: [...NOBODY, ...READS_NO_FILES] }
  }
}

/** Words as systemd.service(5) reads them: `%` and `$` doubled, and quoted where it has to be. */
function formatCommand(words: readonly string[]): string {
  return words
    .map((word) => word.replaceAll("%", "%%").replaceAll("$", "$$$$"))
    .map((word) => (/^[\w%$@.,:/+=-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ")
}
