/** A host in memory: containers that come and go, the runtime that has their logs, the directory that learns of them. */
import type { App, Member } from "../../src/apps/app.ts"
import type { Change, Directory } from "../../src/apps/directory.ts"
import { Failure } from "../../src/errors.ts"
import { readLog } from "../../src/logapi/read.ts"
import type { Batch, Container, Hint, ReadOptions, Runtime, Start } from "../../src/runtime.ts"
import { type Instant, toInstant } from "../../src/time.ts"
import { Box, type Write } from "./box.ts"

const TUNING = { firstMs: 50, mostMs: 5_000, tails: [3, 9], slack: 64 }

const SERVICES = [["web"], ["worker"], ["needs-redis", "redis"], ["web"]] as const

export class World implements Runtime, Directory {
  readonly name = "world"
  readonly boxes: Box[] = []
  /** Told of each container that is created. */
  readonly onBox: ((box: Box) => void)[] = []
  #down = false
  #nanoseconds = 0
  #read = 0
  /** What the directory knows. */
  #up = true
  #known = new Map<string, Member>()
  readonly #listeners = new Set<(change: Change) => void>()

  /** How many reads are open. */
  get reading(): number {
    return this.#read
  }

  /** Stamps never fall here; two in a row may be equal. */
  #stamp(tick: number): number {
    this.#nanoseconds = Math.max(Date.now() * 1_000_000 + 1, this.#nanoseconds + tick)
    return this.#nanoseconds
  }

  /** Creates another container, up to five. */
  add(): void {
    const number = this.boxes.length
    if (number === 5) return
    const [service, needs] = SERVICES[number % SERVICES.length] ?? ["web"]
    const box = new Box(number, this.#stamp(1), service, needs)
    // Nobody says anything in the nanosecond in which a container is created.
    this.#stamp(1)
    box.log.onOpen = () => this.#assertThere(box)
    box.log.onRunning = () => this.#assertUp()
    this.boxes.push(box)
    for (const tell of this.onBox) tell(box)
  }

  /** A record of the n-th container, which starts if it does not run. */
  write(box: Box, tick: number, write: Write): void {
    if (!box.removed) box.write(write, this.#stamp(tick))
  }

  get down(): boolean {
    return this.#down
  }

  /** The runtime goes away or comes back. Containers live on. */
  set down(down: boolean) {
    this.#down = down
    if (down) for (const { log } of this.boxes) log.cut(unavailable())
  }

  /** The directory learns what there is now. */
  learn(): void {
    if (this.#up === this.#down) {
      this.#up = !this.#down
      this.#tell({ type: "runtime", up: this.#up })
    }
    if (this.#down) return
    for (const box of this.boxes) {
      const { member } = box
      const known = this.#known.get(box.id)
      if (box.removed) {
        this.#known.delete(box.id)
        if (known) this.#tell({ type: "member", member: known, gone: true })
      } else if (known?.container.state !== member.container.state) {
        this.#known.set(box.id, member)
        this.#tell({ type: "member", member, gone: false })
      }
    }
  }

  get up(): boolean {
    return this.#up
  }

  apps(): readonly App[] {
    return [this.app()]
  }

  app(): App {
    return { id: "shop", members: [...this.#known.values()] }
  }

  async refresh(): Promise<void> {
    this.#assertUp()
    this.learn()
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get listeners(): number {
    return this.#listeners.size
  }

  async ping(): Promise<{ version: string }> {
    this.#assertUp()
    return { version: "1" }
  }

  async list(): Promise<readonly Container[]> {
    this.#assertUp()
    return this.boxes.filter(({ removed }) => !removed).map(({ member }) => member.container)
  }

  /** The directory of this world is told by hand. */
  async *watch(): AsyncGenerator<Hint, void> {}

  async *read({ id }: Container, start: Start, options: ReadOptions): AsyncGenerator<Batch, void> {
    this.#assertUp()
    const box = this.boxes.find((one) => one.id === id)
    if (!box || box.removed) return
    this.#read++
    try {
      yield* readLog(box.log, start, options, TUNING)
    } catch (error) {
      if (!(error instanceof Gone)) throw error
    } finally {
      this.#read--
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }

  #assertUp(): void {
    if (this.#down) throw unavailable()
  }

  #assertThere(box: Box): void {
    this.#assertUp()
    if (box.removed) throw new Gone()
  }
}

/** There is no log of a container that was removed. */
class Gone extends Error {}

function unavailable(): Failure {
  return new Failure("runtime_unavailable", "the world is away")
}

/** So many milliseconds from now. */
export function wallClock(ms = 0): Instant {
  return toInstant(BigInt(Date.now() + ms) * 1_000_000n)
}
