/** A control group in which memory is limited, of either version. */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { until } from "./sandbox.ts"

const HIERARCHIES = [
  ["/sys/fs/cgroup/memory", "memory.limit_in_bytes"],
  ["/sys/fs/cgroup", "memory.max"],
] as const

/** What applogs' unit gives it for Docker. The garbage collector makes it its measure. */
export const UNIT_BYTES = 512 * 1_048_576

/** Any limit, of whole pages. */
const LEAST = 1_048_576

let made = 0

export class ControlGroup implements AsyncDisposable {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /** Whether this user, on this machine, can make one. */
  static isPossible(): boolean {
    const path = ControlGroup.#make(LEAST)
    return path !== undefined && removed(path)
  }

  static make(bytes: number): ControlGroup {
    const path = ControlGroup.#make(bytes)
    if (path === undefined) throw new Error("no control group can be made")
    return new ControlGroup(path)
  }

  static #make(bytes: number): string | undefined {
    const name = `applogs-memory-${process.pid}-${made++}`
    for (const [parent, file] of HIERARCHIES) {
      const path = `${parent}/${name}`
      try {
        mkdirSync(path)
      } catch {
        continue
      }
      try {
        writeFileSync(`${path}/${file}`, `${bytes}`)
        if (Number(readFileSync(`${path}/${file}`, "utf8")) === bytes) return path
      } catch {
        // It does not limit memory.
      }
      removed(path)
    }
    return undefined
  }

  /** The command under which another one is run in it. */
  get join(): string[] {
    return ["sh", "-c", `echo $$ >${this.#path}/cgroup.procs && exec "$@"`, "sh"]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await until(() => removed(this.#path), { what: "the control group to be left" })
  }
}

function removed(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
