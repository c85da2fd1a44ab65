/** The app of three containers, one of them a needs service, that together write 5,000 lines a second. */
import { statSync } from "node:fs"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import type { StoredLine } from "../stored.ts"
import { writer } from "../writer.ts"

/** Lines a second, by service. */
const RATES = { web: 2_000, worker: 1_750, db: 1_250 }

export interface ShopOptions {
  readonly logOptions?: Readonly<Record<string, string>>
  /** A part of the full rate; default 1. */
  readonly load?: number
  /** Length of the filler at each line's end; default 20. */
  readonly padding?: number
}

/** What the engine stored, by the container's name. */
export type Truth = ReadonlyMap<string, readonly StoredLine[]>

export class Shop {
  /** Of the app; the containers are called `<name>-web`, … */
  readonly name: string
  readonly #real: PrivateRuntime
  /** Id by name. */
  readonly containers = new Map<string, string>()

  constructor(real: PrivateRuntime, name: string) {
    this.#real = real
    this.name = name
  }

  /** Starts all three, and waits until each has written. */
  async open({ logOptions = {}, load = 1, padding = 20 }: ShopOptions = {}): Promise<void> {
    for (const [service, rate] of Object.entries(RATES)) {
      const name = `${this.name}-${service}`
      const labels = {
        "com.docker.compose.project": this.name,
        "com.docker.compose.service": service,
        ...(service === "db" && { "applogs.needs": "postgres" }),
      }
      const command = writer({ name, rate: rate * load, padding })
      this.containers.set(name, await this.#real.run({ name, labels, logOptions, command }))
    }
    await until(() => [...this.stored().values()].every((lines) => lines.length > 0), {
      what: `the first lines of ${this.name}`,
    })
  }

  id(service: keyof typeof RATES): string {
    return this.containers.get(`${this.name}-${service}`) ?? ""
  }

  /** Stops all three; what the engine stored of them is then the whole truth. */
  async close(): Promise<Truth> {
    await Promise.all([...this.containers.values()].map((id) => this.#real.stopContainer(id)))
    return this.stored()
  }

  stored(): Truth {
    return new Map(
      [...this.containers].map(([name, id]) => [name, this.#real.storedLines(id)] as const),
    )
  }

  async remove(): Promise<void> {
    for (const id of this.containers.values()) await this.#real.removeContainer(id)
  }
}

export function countLines(truth: Truth): number {
  return [...truth.values()].reduce((sum, lines) => sum + lines.length, 0)
}

/** A pause without a clock: until a log file has grown by so many bytes. */
export async function grown(file: string, bytes: number): Promise<void> {
  const size = () => statSync(file).size
  const before = size()
  await until(() => size() >= before + bytes, { what: `${bytes} more bytes in a log` })
}
