/**
 * A real systemd for tests, booted in a container of its own (systemd-nspawn) with this machine's programs, an empty
 * /etc and no network but a loopback: what a unit really does there, and nothing of the machine's own services.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { exercised } from "./machine.ts"
import { PATH } from "./output.ts"
import { closeSandbox, openSandbox, type Sandbox, until } from "./sandbox.ts"

/** They are installed here for other tests, or wait for a network that never comes. */
const MASKED = [
  "containerd.service",
  "docker.service",
  "docker.socket",
  "systemd-networkd-wait-online.service",
]

/** What a command said, and how it ended. */
export interface Said {
  readonly code: number
  readonly out: string
}

export class PrivateSystemd implements AsyncDisposable {
  readonly #sandbox: Sandbox
  /** Of its first process, as this machine counts. */
  #init = 0

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** Boots it, which takes half a second. `binds`: what is seen inside, by its path there, and not to be changed. */
  static async start(binds: Readonly<Record<string, string>>): Promise<PrivateSystemd> {
    const systemd = new PrivateSystemd(await openSandbox())
    try {
      await systemd.#boot(binds)
      return systemd
    } catch (error) {
      await systemd[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Starts a command inside. */
  spawn(command: readonly string[]): Bun.Subprocess<"ignore", "pipe", "pipe"> {
    return Bun.spawn(["nsenter", `--target=${this.#init}`, "--all", "--", ...command], {
      env: { PATH },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
  }

  /** Runs a command inside; both its outputs together. */
  async run(command: readonly string[]): Promise<Said> {
    const child = this.spawn(command)
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { code, out: out + err }
  }

  /** As `run`; throws when the command fails. */
  async ask(...command: readonly string[]): Promise<string> {
    const { code, out } = await this.run(command)
    if (code !== 0) throw new Error(`${command.join(" ")}: exit code ${code}: ${out}`)
    return out
  }

  /** The file with that path inside, as it is seen from outside. */
  path(inside: string): string {
    return `/proc/${this.#init}/root${inside}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeSandbox(this.#sandbox)
  }

  async #boot(binds: Readonly<Record<string, string>>): Promise<void> {
    const { path, cgroup } = this.#sandbox
    const own = join(path, "own")
    mkdirSync(own)
    const shown = { ...binds, "/run/host/applogs": own }
    const nspawn = [
      "systemd-nspawn",
      "--quiet",
      "--directory=/",
      "--volatile=yes",
      "--boot",
      `--machine=${cgroup}`,
      "--register=no",
      "--keep-unit",
      "--private-network",
      "--console=pipe",
      "--link-journal=no",
      // What is installed inside is not installed outside.
      "--overlay=/usr/local::/usr/local",
      ...Object.entries(shown).map(([inside, outside]) => `--bind-ro=${outside}:${inside}`),
      "systemd.unit=sysinit.target",
      "systemd.firstboot=off",
      ...MASKED.map((unit) => `systemd.mask=${unit}`),
    ]
    // It makes control groups beside itself: so it gets one of its own, where everything that is in it is removed.
    const enter = `for g in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
        [ -e $g/cgroup.procs ] && mkdir -p $g/$0 && echo $$ >$g/$0/cgroup.procs; done; exec "$@"`
    const child = Bun.spawn(["sh", "-c", enter, cgroup, ...nspawn], {
      env: { PATH },
      stdin: "ignore",
      stdout: Bun.file(join(path, "console")),
      stderr: Bun.file(join(path, "console")),
    })
    await until(
      async () => {
        if (child.exitCode !== null) {
          throw new Error(`systemd did not boot: ${readFileSync(join(path, "console"), "utf8")}`)
        }
        this.#init = firstChildOf(child.pid)
        return this.#init > 0 && (await this.#isUp())
      },
      { what: "systemd to boot" },
    )
    exercised("systemd", (await this.ask("systemctl", "--version")).split(/\s/)[1] ?? "")
  }

  async #isUp(): Promise<boolean> {
    const { out } = await this.run(["systemctl", "is-active", "sysinit.target"])
    return out === "active\n"
  }
}

function firstChildOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0])
}
