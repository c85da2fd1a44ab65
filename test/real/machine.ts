/** What this machine can run of the real-runtime tests, and a note of what they really ran. */
import { appendFileSync, existsSync } from "node:fs"
import { resolve } from "node:path"

/** Where `test/run.ts` collects the notes of the test processes it starts. */
export const REPORT_VARIABLE = "APPLOGS_TEST_REPORT"

/** Any of these, and all of one kind. */
export const BROWSERS = ["chromium-headless-shell", "chromium", "google-chrome", "chrome"]

/** What nginx does where nobody has told it otherwise. */
export const NGINX_SETTINGS = "/etc/nginx/nginx.conf"

/** Why a real Docker Engine cannot be run here; `undefined` when it can. */
export function whyNoDocker(): string | undefined {
  return whyNot(["dockerd", "containerd", "containerd-shim-runc-v2", "runc", "tar"])
}

/** Why a real Podman cannot be run here; `undefined` when it can. */
export function whyNoPodman(): string | undefined {
  return whyNot(["podman", "conmon", "runc", "tar"])
}

/** Where nerdctl.sh puts the one it builds. */
export const BUILT_NERDCTL = resolve(import.meta.dir, "../../node_modules/.cache/applogs/nerdctl")

/** Where Debian puts it. */
export const JOURNALD = "/lib/systemd/systemd-journald"

/** Why a real Podman's containers cannot write to a real journald here; `undefined` when they can. */
export function whyNoPodmanJournal(): string | undefined {
  const reason = whyNoPodman() ?? whyNotRun(["journalctl", "unshare", "nsenter"])
  return reason ?? (existsSync(JOURNALD) ? undefined : "journald is not installed")
}

/** Why a real nerdctl cannot be run here; `undefined` when it can. */
export function whyNoNerdctl(): string | undefined {
  const reason = whyNot(["containerd", "ctr", "containerd-shim-runc-v2", "runc", "tar"])
  if (reason !== undefined || which("nerdctl") !== null || existsSync(BUILT_NERDCTL)) return reason
  return "nerdctl is not installed, nor built by test/real/nerdctl.sh"
}

/** Why a real systemd cannot be booted here; `undefined` when it can. */
export function whyNoSystemd(): string | undefined {
  return whyNotRun(["systemd-nspawn", "systemd-analyze", "nsenter"])
}

/** Why a real nginx cannot be put in front of applogs here; `undefined` when it can. */
export function whyNoNginx(): string | undefined {
  const reason = whyNotRun(["nginx"])
  if (reason !== undefined || existsSync(NGINX_SETTINGS)) return reason
  return `${NGINX_SETTINGS} is not there`
}

/** Why a real HAProxy cannot be put before an engine's socket here; `undefined` when it can. */
export function whyNoHaproxy(): string | undefined {
  return whyNotRun(["haproxy"])
}

/** Why no browser can be run here; `undefined` when one can. */
export function whyNoBrowser(): string | undefined {
  return BROWSERS.some((name) => which(name) !== null) ? undefined : "chromium is not installed"
}

function whyNot(programs: readonly string[]): string | undefined {
  const reason = whyNotRun(programs)
  if (reason !== undefined || staticBusybox() !== undefined) return reason
  return "busybox-static is not installed"
}

function whyNotRun(programs: readonly string[]): string | undefined {
  if (process.platform !== "linux") return "it needs Linux"
  if (process.getuid?.() !== 0) return "it needs root"
  for (const program of programs) {
    if (which(program) === null) return `${program} is not installed`
  }
  return undefined
}

/** A busybox that needs no library, so that it alone makes an image. */
export function staticBusybox(): string | undefined {
  const path = which("busybox")
  if (path === null) return undefined
  // ldd fails for what is not dynamically linked; without ldd there is no glibc to link to.
  const ldd = which("ldd")
  return ldd === null || Bun.spawnSync([ldd, path]).exitCode !== 0 ? path : undefined
}

/** Whether `make test` could have installed the runtimes by itself. */
export function couldInstall(): boolean {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version") && which("apt-get") !== null
}

/** Notes that a real runtime was started, for the report at the end of the test run. */
export function exercised(runtime: string, version: string): void {
  const report = process.env[REPORT_VARIABLE]
  if (report !== undefined) appendFileSync(report, `${JSON.stringify({ runtime, version })}\n`)
}

function which(program: string): string | null {
  return Bun.which(program, { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin:/usr/bin:/bin` })
}
