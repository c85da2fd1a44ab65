/** What Linux knows of a process: memory, threads, open files, and whom it is connected to. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

export interface Usage {
  /** Resident memory (VmRSS), in bytes. */
  readonly memory: number
  /** The most that has been resident so far (VmHWM), in bytes. */
  readonly peak: number
  readonly threads: number
  /** What its descriptors lead to, the three standard ones and copies of them left out: a path, `socket:[…]`, `anon_inode:…`. */
  readonly files: readonly string[]
  /** Connections that it has made to Unix sockets: to the engine's, as there is no other that it calls. */
  readonly engineConnections: number
}

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1])
  const files = openFiles(pid)
  return {
    memory: field("VmRSS") * 1024,
    peak: field("VmHWM") * 1024,
    threads: field("Threads"),
    files,
    engineConnections: countUnixClients(files),
  }
}

function openFiles(pid: number): string[] {
  const directory = `/proc/${pid}/fd`
  const open = readdirSync(directory).flatMap((name) => {
    try {
      return { number: Number(name), target: readlinkSync(`${directory}/${name}`) }
    } catch {
      // It was closed since.
      return []
    }
  })
  const standard = open.filter(({ number }) => number <= 2).map(({ target }) => target)
  return open.map(({ target }) => target).filter((target) => !standard.includes(target))
}

/** A socket that listens, and one that was accepted there, have the listener's path; a caller's has none. */
function countUnixClients(files: readonly string[]): number {
  const held = new Set(files)
  // Num RefCount Protocol Flags Type St Inode Path
  return readFileSync("/proc/net/unix", "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length === 7 && held.has(`socket:[${fields[6]}]`)).length
}
