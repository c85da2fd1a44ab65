/** The container runtime that the end-to-end tests run with: `APPLOGS_TEST_RUNTIME` chooses it, and here stands what it cannot do. */
import { describe, test } from "bun:test"
import { startDocker } from "../docker.ts"
import { whyNoDocker, whyNoNerdctl, whyNoPodman, whyNoPodmanJournal } from "../machine.ts"
import { startNerdctl } from "../nerdctl.ts"
import { startPodman } from "../podman.ts"
import type { PrivateRuntime } from "../runtime.ts"

/** What a runtime may be unable to do. Tests that need it are skipped by name, with the reason. */
export type Gap =
  /** It listens on a Unix socket, that a flag names. */
  | "socket"
  /** The logging driver `local`, which nobody but the runtime can read. */
  | "local driver"
  /** The logging driver `none`. */
  | "unreadable logs"
  /** Containers that are removed, with their logs, as soon as they end. */
  | "removal at the end"
  /** `max-file`: what was rotated away is still there for a while. */
  | "kept files"
  /** Many clients in little memory. */
  | "little memory"

interface Candidate {
  readonly start: () => Promise<PrivateRuntime>
  readonly whyNot: () => string | undefined
  /** With the reason. */
  readonly gaps: Partial<Readonly<Record<Gap, string>>>
  /** What applogs holds open to it while no client is there. */
  readonly idleConnections: { readonly least: number; readonly most: number }
  /** So many containers it can start at once, and still say which there are while they run. Absent: as many as it likes. */
  readonly startsAtOnce?: number
  /** So many bytes of lines may come while one is half read: it cuts lines where its reads end. Absent: it cuts none. */
  readonly halfReadBytes?: number
}

const CANDIDATES: Readonly<Record<string, Candidate>> = {
  // Its one connection is the watch of the engine's events.
  docker: {
    start: startDocker,
    whyNot: whyNoDocker,
    gaps: {},
    idleConnections: { least: 1, most: 1 },
  },
  podman: {
    start: startPodman,
    whyNot: whyNoPodman,
    gaps: {
      "local driver": "Podman has no driver of that name",
      "kept files": "Podman deletes what it rotates away at once",
    },
    idleConnections: { least: 1, most: 1 },
    // It answers no list while it starts any: of 20 at once, those that live a second are gone by then.
    startsAtOnce: 1,
    // A few reads of 8 KiB, each of which ends inside a line.
    halfReadBytes: 65_536,
  },
  // The two pipes of `nerdctl events` are pairs of sockets. Bun keeps those of some programs that have ended, and
  // were read to the end, until it collects garbage.
  "podman-journal": {
    start: () => startPodman({ journal: true }),
    whyNot: whyNoPodmanJournal,
    gaps: { "local driver": "Podman has no driver of that name" },
    idleConnections: { least: 1, most: 1 },
    startsAtOnce: 1,
    halfReadBytes: 65_536,
  },
  nerdctl: {
    start: startNerdctl,
    whyNot: whyNoNerdctl,
    gaps: {
      socket: "nerdctl is a program that applogs runs",
      "local driver": "nerdctl has none",
      "removal at the end": "nerdctl removes nothing that it runs in the background",
      "little memory": "each program of nerdctl takes 8 MB, and each client may start one",
    },
    idleConnections: { least: 2, most: 12 },
  },
}

const name = process.env["APPLOGS_TEST_RUNTIME"] ?? "docker"
const candidate = CANDIDATES[name]
if (!candidate)
  throw new Error(`APPLOGS_TEST_RUNTIME: one of ${Object.keys(CANDIDATES).join(", ")}`)

export const {
  idleConnections,
  startsAtOnce = Number.POSITIVE_INFINITY,
  halfReadBytes = 0,
} = candidate

/** Whether what is rotated away is still there, for as many files as are asked for. */
export const keepsFiles = candidate.gaps["kept files"] === undefined

/** Every test runs with each that the runtime has: by the log file, and by its API alone. */
export const logSource = process.env["APPLOGS_TEST_SOURCE"] ?? "auto"

/** Starts a private one, and waits until it answers. */
export const startRuntime = (): Promise<PrivateRuntime> => candidate.start()

/** As `describe`, where the runtime can be run; else skipped, and says why. */
export function describeReal(title: string, tests: () => void): void {
  const reason = candidate?.whyNot()
  const told = reason === undefined ? title : `${title} [no ${name}: ${reason}]`
  describe.skipIf(reason !== undefined)(told, tests)
}

/** As `test`, where the runtime can do that; else skipped, and says why. */
export function testWith(gap: Gap, title: string, run: () => Promise<void>): void {
  const reason = candidate?.gaps[gap]
  test.skipIf(reason !== undefined)(reason === undefined ? title : `${title} [gap: ${reason}]`, run)
}

/** As `test`, where applogs reads the log files itself; else skipped, and says what is otherwise by the API. */
export function testByFile(otherwise: string, title: string, run: () => Promise<void>): void {
  const isByApi = logSource === "api"
  test.skipIf(isByApi)(isByApi ? `${title} [gap: by the API, ${otherwise}]` : title, run)
}
