/**
 * The simplest runtime that keeps the contract: containers and their lines in memory. It proves that the
 * suite can be passed, and, once spoilt (see `broken.ts`), that it can be failed.
 */
import { Failure } from "../../src/errors.ts"
import type { Batch, Container, Hint, ReadOptions, Runtime, Start } from "../../src/runtime.ts"
import { now } from "../../src/time.ts"
import type { Subject } from "./host.ts"
import { type MemoryContainer, MemoryHost } from "./memory-host.ts"

export function memorySubject(patienceMs = 5_000): Subject {
  const host = new MemoryHost(patienceMs)
  return { host, runtime: new MemoryRuntime(host) }
}

class MemoryRuntime implements Runtime {
  readonly name = "memory"
  readonly host: MemoryHost
  readonly #disposed = new AbortController()

  constructor(host: MemoryHost) {
    this.host = host
  }

  async ping(): Promise<{ version: string }> {
    this.#assertAvailable()
    return { version: "1" }
  }

  async list(): Promise<readonly Container[]> {
    this.#assertAvailable()
    return [...this.host.containers.values()].map(({ id, name, spec, state, createdAt }) => {
      const guarantee = spec.unreadable
        ? ({ level: "unreadable", source: "none", reason: "it is not kept" } as const)
        : ({ level: "exact", source: "api", reason: "" } as const)
      return { id, name, labels: spec.labels ?? {}, state, createdAt, guarantee }
    })
  }

  async *watch(ready: () => void, signal: AbortSignal): AsyncGenerator<Hint, void> {
    this.#assertAvailable()
    const both = AbortSignal.any([signal, this.#disposed.signal])
    const hints: Hint[] = []
    const watcher = (hint: Hint) => {
      hints.push(hint)
      this.host.changed.notify()
    }
    this.host.watchers.add(watcher)
    this.host.reading += 1
    ready()
    try {
      while (!both.aborted && this.host.available) {
        if (hints.length === 0) await this.host.changed.wait(both)
        yield* hints.splice(0)
      }
    } finally {
      this.host.reading -= 1
      this.host.watchers.delete(watcher)
    }
  }

  async *read(
    { id }: Container,
    start: Start,
    { follow, until, signal }: ReadOptions,
  ): AsyncGenerator<Batch, void> {
    const both = AbortSignal.any([signal, this.#disposed.signal])
    const container = this.host.containers.get(id)
    if (both.aborted || !container) return
    this.#assertAvailable()
    if (container.spec.unreadable) throw new Failure("log_driver_unreadable", "it is not kept")
    this.host.reading += 1
    try {
      const cut = container.lines.findIndex(
        ({ timestamp }) => until !== undefined && timestamp > until && timestamp <= now(),
      )
      const end = () => container.first + (cut < 0 ? container.lines.length : cut)
      let { at, batch } = this.#begin(container, start, end())
      yield batch
      while (!both.aborted) {
        this.#assertAvailable()
        if (at < end()) {
          batch = toBatch(container, at, Math.min(at + 100, end()))
          at += batch.lines.length
          yield batch
        } else if (!follow || container.state !== "running") {
          return
        } else {
          await container.changed.wait(both)
        }
      }
    } finally {
      this.host.reading -= 1
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort()
  }

  #begin(container: MemoryContainer, start: Start, end: number): { at: number; batch: Batch } {
    const { first, lines } = container
    const nothing = (at: number) => ({ at, batch: { lines: [], position: `p${at}` } })
    switch (start.from) {
      case "beginning":
        return nothing(first)
      case "end":
        return nothing(end)
      case "time": {
        const at = lines.findIndex(({ timestamp }) => timestamp > start.after)
        // Nothing is late enough yet: what will be is found from the end on, as time goes on.
        return nothing(at < 0 ? end : first + at)
      }
      case "last": {
        const all = toBatch(container, first, end).lines.filter((line) => start.where(line))
        const last = all.slice(Math.max(0, all.length - start.lines))
        return { at: end, batch: { lines: last, position: `p${end}` } }
      }
      case "position": {
        const at = Number(/^p(\d{1,9})$/.exec(start.position)?.[1] ?? -1)
        if (at >= first && at <= end) return nothing(at)
        const lost = at >= 0 && at < first
        const from = lost ? first : end
        const gap = { reason: lost ? "rotated" : "ambiguous" } as const
        return { at: from, batch: { gap, lines: [], position: `p${from}` } }
      }
    }
  }

  #assertAvailable(): void {
    if (!this.host.available) throw new Failure("runtime_unavailable", "it is away")
  }
}

function toBatch({ lines, first }: MemoryContainer, from: number, to: number): Batch {
  const some = lines.slice(from - first, to - first)
  return {
    lines: some.map((line, index) => ({ ...line, position: `p${from + index + 1}` })),
    position: `p${to}`,
  }
}
