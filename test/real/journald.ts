/**
 * A private journald for tests: the real one, in a mount namespace of its own, where it finds an empty /run/systemd
 * and an empty /run/log. Whoever is to write to it, or to read it, has to enter that.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { JOURNALD } from "./machine.ts"
import { PATH } from "./output.ts"
import { isRunning, type Sandbox, until } from "./sandbox.ts"
import { linesOf, type StoredK8s } from "./stored-k8s.ts"
import type { StoredLine } from "./stored.ts"

// Above a rate, it would drop lines; and it forgets all when it ends.
const START = `
  set -e
  for directory in /run/systemd /run/log; do mkdir -p $directory && mount -t tmpfs none $directory; done
  mkdir -p /run/log/journal /run/systemd/journald.conf.d
  printf '[Journal]\\nStorage=volatile\\nRateLimitBurst=0\\nRuntimeMaxUse=1G\\n' >/run/systemd/journald.conf.d/test.conf
  exec ${JOURNALD}`

export class PrivateJournald {
  /** The command under which another one writes to it and reads it. */
  readonly enter: readonly string[]
  /** Where a \`journalctl\` stands that reads it. */
  readonly programs: string

  private constructor(sandbox: Sandbox, pid: number) {
    this.enter = ["nsenter", `--mount=/proc/${pid}/ns/mnt`, "--wd=/", "--"]
    this.programs = join(sandbox.path, "programs")
    mkdirSync(this.programs)
    const program = join(this.programs, "journalctl")
    writeFileSync(
      program,
      `#!/bin/sh\nPATH='${PATH}'\nexec ${this.enter.join(" ")} journalctl "$@"\n`,
    )
    chmodSync(program, 0o755)
  }

  /** It ends with the sandbox. */
  static async start(sandbox: Sandbox): Promise<PrivateJournald> {
    const command = [
      "unshare",
      "--mount",
      "--fork",
      "--kill-child",
      "sh",
      "-c",
      START,
      sandbox.path,
    ]
    const child = Bun.spawn(command, { env: { PATH }, stdio: ["ignore", "ignore", "inherit"] })
    const journald = new PrivateJournald(sandbox, child.pid)
    const isUp = () =>
      isRunning(child.pid) &&
      Bun.spawnSync([...journald.enter, "test", "-S", "/run/systemd/journal/socket"]).exitCode === 0
    await until(isUp, { what: "journald to listen" })
    return journald
  }

  /** Writes an entry, as a user who has no rights. */
  async forge(fields: Readonly<Record<string, string>>): Promise<void> {
    const entry = Object.entries(fields).map(([name, value]) => `${name}=${value}\n`)
    const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    await Bun.spawn([...this.enter, ...nobody, "logger", "--journald"], {
      env: { PATH },
      stdin: Buffer.from(entry.join("")),
    }).exited
  }

  /** What it holds of a container. */
  storedLines(id: string, { tty }: { tty: boolean }): StoredLine[] {
    return linesOf(this.#records(id), { tty })
  }

  storedEnds(id: string): number {
    return this.#records(id).filter(({ flag }) => flag === "F").length
  }

  #records(id: string): StoredK8s[] {
    const command = [...this.enter, "journalctl", "--quiet", "--all", "--output=json"]
    const { stdout } = Bun.spawnSync([...command, `CONTAINER_ID_FULL=${id}`])
    const entries = stdout.toString().split("\n").filter(Boolean)
    return entries.map((entry) => toRecord(JSON.parse(entry) as Entry))
  }
}

interface Entry {
  /** Bytes, where it is no text. */
  readonly MESSAGE: string | readonly number[]
  readonly PRIORITY: string
  readonly CONTAINER_PARTIAL_MESSAGE?: string
  /** Microseconds. */
  readonly __REALTIME_TIMESTAMP: string
}

function toRecord(entry: Entry): StoredK8s {
  const { MESSAGE, PRIORITY, CONTAINER_PARTIAL_MESSAGE, __REALTIME_TIMESTAMP } = entry
  const bytes = typeof MESSAGE === "string" ? Buffer.from(MESSAGE) : Buffer.from(MESSAGE)
  const seconds = new Date(Number(__REALTIME_TIMESTAMP) / 1_000).toISOString().slice(0, 19)
  return {
    time: `${seconds}.${__REALTIME_TIMESTAMP.slice(-6)}000Z`,
    stream: PRIORITY === "3" ? "stderr" : "stdout",
    flag: CONTAINER_PARTIAL_MESSAGE === "true" ? "P" : "F",
    part: bytes.toString("latin1").replace(/\n$/, ""),
  }
}
