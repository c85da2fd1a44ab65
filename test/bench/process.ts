/** What a process has cost so far, by /proc. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The kernel counts in hundredths of a second for user space, whatever it counts in itself. */
const TICKS = 100

/** Processor time of all its threads, in user space and in the kernel. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The second field, a name in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Lets the peak of the memory begin anew, at what is resident now. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
}

/** The most that was resident since the last reset. */
export function peakMegabytes(pid: number): number {
  return statusMegabytes(pid, "VmHWM")
}

export function residentMegabytes(pid: number): number {
  return statusMegabytes(pid, "VmRSS")
}

/** As megabytes of 1,000,000 bytes: so a limit in MB is not stretched. */
function statusMegabytes(pid: number, field: "VmHWM" | "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const kibibytes = new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`process ${pid} has no ${field}`)
  return (Number(kibibytes) * 1024) / 1_000_000
}

/** How many files and directories the kernel watches for it. */
export function watches(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).reduce((sum, fd) => sum + watchesOf(pid, fd), 0)
}

function watchesOf(pid: number, fd: string): number {
  try {
    if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== "anon_inode:inotify") return 0
    const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")
    return info.match(/^inotify wd:/gm)?.length ?? 0
  } catch {
    // Closed since it was listed.
    return 0
  }
}

/** How many files and connections a process may have open, once it has asked for all it can get, as Bun does. */
export function mostOpenFiles(): number {
  const limits = readFileSync("/proc/self/limits", "utf8")
  return Number(/^Max open files +\d+ +(\d+)/m.exec(limits)?.[1] ?? Infinity)
}

/** The process id of a private engine's daemon. */
export function daemonOf({ socket }: { readonly socket: string }): number {
  return Number(readFileSync(join(dirname(socket), "docker.pid"), "utf8"))
}
