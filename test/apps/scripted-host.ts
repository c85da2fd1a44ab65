/** A runtime that does what a test tells it to: containers come and go, hints get lost, calls hang. */
import { Failure } from "../../src/errors.ts"
import type { Batch, Container, ContainerState, Hint, Runtime } from "../../src/runtime.ts"
import { type Instant, shift, toInstant } from "../../src/time.ts"
import type { VirtualClock } from "./virtual-clock.ts"

function idOf(n: number): string {
  return n.toString(16).padStart(64, "0")
}

export function containerOf(n: number, fields: Partial<Container> = {}): Container {
  return {
    id: idOf(n),
    name: `c${n}`,
    labels: {},
    state: "running",
    createdAt: toInstant(1_700_000_000_000_000_000n + BigInt(n)),
    guarantee: { level: "exact", source: "api", reason: "" },
    ...fields,
  }
}

export type Fate = "told" | "lost" | "doubled"

export class ScriptedHost implements Runtime {
  readonly name = "scripted"
  readonly #containers = new Map<string, Container>()
  /** Containers that ever were. */
  born = 0
  /** Every hint once, also those that are lost. */
  readonly told: Hint[] = []
  lists = 0
  listsAtOnce = 0
  mostListsAtOnce = 0
  pings = 0
  watching = 0
  /** When each watch was begun. */
  readonly watchedAt: number[] = []
  /** Each watch ends after this time. */
  watchMs = Number.POSITIVE_INFINITY
  /** What a list takes, and whether it shows what was there when it began or when it ended. */
  listMs = 0
  listShows: "begin" | "end" = "begin"
  /** How old what a list shows is; it never shows older things than the list before it. */
  lagMs = 0
  down = false
  hanging: "nothing" | "ping" | "list" | "watch" = "nothing"
  readonly #clock: VirtualClock
  #past: { readonly at: number; readonly containers: readonly Container[] }[] = []
  #shownAt = 0
  #push: ((hint: Hint | "end") => void)[] = []
  #at: Instant = toInstant(1_700_000_100_000_000_000n)

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  get containers(): ReadonlyMap<string, Container> {
    return this.#containers
  }

  /** Tells nobody. */
  put(container: Container): void {
    this.#containers.set(container.id, container)
    this.#note()
  }

  add(n: number, fields: Partial<Container> = {}, fate: Fate = "told"): void {
    const container = containerOf(n, fields)
    this.born += 1
    this.put(container)
    this.tell(n, "created", fate)
    if (container.state === "running") this.tell(n, "started", fate)
  }

  set(n: number, state: ContainerState, fate: Fate = "told", exitCode = 0): void {
    this.#change(n, { state })
    if (state === "running") this.tell(n, "started", fate)
    if (state === "exited") this.tell(n, "exited", fate, exitCode)
  }

  rename(n: number, name: string, fate: Fate = "told"): void {
    this.#change(n, { name })
    this.tell(n, "renamed", fate)
  }

  remove(n: number, fate: Fate = "told"): void {
    this.#containers.delete(idOf(n))
    this.#note()
    this.tell(n, "removed", fate)
  }

  tell(n: number, change: Hint["change"], fate: Fate = "told", exitCode?: number): void {
    this.#at = shift(this.#at, 1n)
    const hint: Hint = {
      id: idOf(n),
      change,
      at: this.#at,
      ...(exitCode !== undefined && { exitCode }),
    }
    this.told.push(hint)
    if (fate !== "lost") this.repeat(hint)
    if (fate === "doubled") this.repeat(hint)
  }

  repeat(...hints: Hint[]): void {
    for (const push of this.#push) for (const hint of hints) push(hint)
  }

  /** Every watch ends, as when the connection is lost. */
  endWatches(): void {
    for (const push of this.#push) push("end")
  }

  async ping(): Promise<{ version: string }> {
    this.pings += 1
    if (this.hanging === "ping") await new Promise(() => {})
    this.#check()
    return { version: "1" }
  }

  async list(signal: AbortSignal): Promise<readonly Container[]> {
    this.lists += 1
    this.listsAtOnce += 1
    this.mostListsAtOnce = Math.max(this.mostListsAtOnce, this.listsAtOnce)
    try {
      if (this.hanging === "list") await new Promise(() => {})
      this.#check()
      const begun = this.#show()
      if (this.listMs > 0) await this.#clock.wait(this.listMs, signal)
      this.#check()
      return this.listShows === "begin" ? begun : this.#show()
    } finally {
      this.listsAtOnce -= 1
    }
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncIterable<Hint> {
    this.watchedAt.push(this.#clock.now())
    this.#check()
    const queue: (Hint | "end")[] = []
    let wake: (() => void) | undefined
    const push = (hint: Hint | "end") => {
      queue.push(hint)
      wake?.()
    }
    const stop = () => push("end")
    this.#push.push(push)
    this.watching += 1
    signal.addEventListener("abort", stop)
    if (this.watchMs < Number.POSITIVE_INFINITY)
      void this.#clock.wait(this.watchMs, signal).then(stop)
    try {
      if (this.hanging !== "watch") ready()
      for (;;) {
        const next = queue.shift()
        if (next === "end") return
        if (next !== undefined) yield next
        else await new Promise<void>((resolve) => void (wake = resolve))
      }
    } finally {
      signal.removeEventListener("abort", stop)
      this.#push = this.#push.filter((other) => other !== push)
      this.watching -= 1
    }
  }

  // oxlint-disable-next-line require-yield -- nothing is ever read here
  async *read(): AsyncIterable<Batch> {
    throw new Error("not scripted")
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #show(): readonly Container[] {
    this.#shownAt = Math.max(this.#shownAt, this.#clock.now() - this.lagMs)
    const shown = this.#past.findLast(({ at }) => at <= this.#shownAt)
    return shown?.containers ?? []
  }

  #note(): void {
    this.#past.push({ at: this.#clock.now(), containers: [...this.#containers.values()] })
  }

  #change(n: number, fields: Partial<Container>): void {
    const container = this.containers.get(idOf(n))
    if (container === undefined) throw new Error(`no container ${n}`)
    this.put({ ...container, ...fields })
  }

  #check(): void {
    if (this.down) throw new Failure("runtime_unavailable", "connection refused")
  }
}
