/** The `podman` command, set up so that all it reads and writes is in one sandbox. */
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CommandLine } from "./runtime.ts"
import type { Sandbox } from "./sandbox.ts"

export class PodmanCommand {
  readonly #directory: string
  readonly #under: readonly string[]

  /** `under`: the command that runs it. */
  constructor(sandbox: Sandbox, under: readonly string[] = []) {
    this.#directory = sandbox.path
    this.#under = under
    this.#configure()
  }

  /** Runs a command to its end; what it printed. */
  async run(args: readonly string[]): Promise<string> {
    return await this.#output(this.#command(args), "ignore")
  }

  /** What `run` would run. */
  line(args: readonly string[]): CommandLine {
    return { command: this.#command(args), env: this.#env() }
  }

  /** Makes an image of a root file system, given as a tar archive. */
  async importImage(name: string, archive: Blob): Promise<void> {
    // It would note the image's digests in /var/lib/containers/cache, whatever its configuration says.
    const elsewhere = [
      "unshare",
      "--mount",
      "sh",
      "-c",
      `mount -t tmpfs none /var/lib && exec "$@"`,
    ]
    await this.#output([...elsewhere, "sh", ...this.#command(["import", "-", name])], archive)
  }

  /** Starts a command that does not end by itself; what it says is added to a file in the sandbox. */
  start(args: readonly string[], logFile: string): Bun.Subprocess {
    const log = openSync(this.#path(logFile), "a")
    const child = Bun.spawn(this.#command(args), {
      stdin: "ignore",
      stdout: log,
      stderr: log,
      env: this.#env(),
    })
    closeSync(log)
    return child
  }

  async #output(command: string[], stdin: Blob | "ignore"): Promise<string> {
    const child = Bun.spawn(command, {
      stdin,
      stdout: "pipe",
      stderr: "pipe",
      env: this.#env(),
      timeout: 60_000,
      killSignal: "SIGKILL",
    })
    const [printed, complaint, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ])
    if (exitCode === 0) return printed.trim()
    throw new Error(`${command.join(" ")}: exit code ${exitCode}\n${complaint}`)
  }

  /** Every process names the sandbox on its command line, by which it is found and ended. */
  #command(args: readonly string[]): string[] {
    return [
      ...this.#under,
      "podman",
      `--root=${this.#path("root")}`,
      `--runroot=${this.#path("run")}`,
      `--tmpdir=${this.#path("libpod")}`,
      ...args,
    ]
  }

  #env(): Record<string, string> {
    // Neither a client's settings nor a service manager's belong to it.
    return {
      PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`,
      HOME: this.#path("home"),
      TMPDIR: this.#path("tmp"),
      CONTAINERS_CONF: this.#path("containers.conf"),
      CONTAINERS_STORAGE_CONF: this.#path("storage.conf"),
      CONTAINERS_REGISTRIES_CONF: this.#path("registries.conf"),
    }
  }

  #configure(): void {
    const quoted = (name: string) => JSON.stringify(this.#path(name))
    const write = (name: string, text: string, mode = 0o644) =>
      writeFileSync(this.#path(name), text, { mode })
    mkdirSync(this.#path("tmp"))
    mkdirSync(this.#path("home/.config/containers"), { recursive: true })
    write(
      "containers.conf",
      // Locks are in one memory segment for all of the machine, unless they are files.
      `[engine]
       cgroup_manager = "cgroupfs"
       events_logger = "file"
       lock_type = "file"
       static_dir = ${quoted("root/libpod")}
       volume_path = ${quoted("root/volumes")}
       image_copy_tmp_dir = ${quoted("tmp")}
       runtime = "runc"
       [engine.runtimes]
       runc = [${quoted("runc")}]
       [network]
       network_config_dir = ${quoted("networks")}`,
    )
    write(
      "storage.conf",
      `[storage]
       driver = "overlay"
       graphroot = ${quoted("root")}
       runroot = ${quoted("run")}`,
    )
    write("registries.conf", "unqualified-search-registries = []")
    write(
      "home/.config/containers/policy.json",
      `{"default": [{"type": "insecureAcceptAnything"}]}`,
    )
    // Not by --runtime-flag, which is not handed down to the clean-up after a container's end.
    write("runc", `#!/bin/sh\nexec runc --root '${this.#path("runc-state")}' "$@"\n`, 0o755)
  }

  #path(name: string): string {
    return join(this.#directory, name)
  }
}
