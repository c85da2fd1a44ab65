/** Reads through a runtime under test, with every wait bounded and every position looked at. */
import { expect } from "bun:test"
import {
  type Batch,
  type Container,
  type Gap,
  type Line,
  POSITION,
  type ReadOptions,
  type Start,
} from "../../src/runtime.ts"
import type { HostContainer, Subject } from "./host.ts"

export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
export const BEGINNING: Start = { from: "beginning" }
export const END: Start = { from: "end" }

/** What a line says, without where it stands. */
export type Facts = Pick<Line, "stream" | "timestamp" | "message"> & { readonly partial: boolean }

export function facts(lines: readonly Line[]): readonly Facts[] {
  return lines.map(({ stream, timestamp, message, partial }) => ({
    stream,
    timestamp,
    message,
    partial: partial ?? false,
  }))
}

export const messages = (lines: readonly Line[]) => lines.map(({ message }) => message)

export function messagesOf(stream: Line["stream"], lines: readonly Line[]): readonly string[] {
  return messages(lines.filter((line) => line.stream === stream))
}

/** Waits until the condition holds. Throws when it does not within the host's patience. */
export async function until(
  { host }: Pick<Subject, "host">,
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
): Promise<void> {
  const deadline = performance.now() + host.patienceMs
  while (!(await condition())) {
    if (performance.now() > deadline) {
      const missing = typeof what === "string" ? what : what()
      throw new Error(`waited ${host.patienceMs} ms for ${missing}`)
    }
    await Bun.sleep(2)
  }
}

/** The promise's value, if it comes within the host's patience. */
export async function within<T>(
  { host: { patienceMs } }: Pick<Subject, "host">,
  promise: Promise<T>,
  what: string,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`waited ${patienceMs} ms for ${what}`)),
    patienceMs,
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A read that goes on in the background. */
export class Reader {
  readonly batches: Batch[] = []
  readonly lines: Line[] = []
  readonly #subject: Subject
  readonly #abort = new AbortController()
  readonly #done: Promise<unknown>
  #ended = false

  constructor(
    subject: Subject,
    container: Container,
    start: Start,
    options: Omit<ReadOptions, "signal"> = { follow: true },
  ) {
    this.#subject = subject
    const { signal } = this.#abort
    const reading = subject.runtime.read(container, start, { ...options, signal })
    this.#done = this.#pump(reading).catch((error: unknown) => error ?? new Error("nothing thrown"))
  }

  get ended(): boolean {
    return this.#ended
  }

  get gaps(): readonly Gap[] {
    return this.batches.flatMap(({ gap }) => (gap ? [gap] : []))
  }

  /** The position behind all that came. */
  get position(): string {
    const last = this.batches.at(-1)
    if (!last) throw new Error("no batch came, so there is no position")
    return last.position
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    const came = () => `${what}; ${this.batches.length} batches and ${this.lines.length} lines came`
    await until(this.#subject, () => condition() || this.#ended, came)
    if (condition()) return
    await this.end()
    throw new Error(`the read ended before ${what}; ${this.lines.length} lines came`)
  }

  async count(lines: number): Promise<void> {
    await this.until(() => this.lines.length >= lines, `${lines} lines`)
  }

  /** Waits for the end. Throws what the read threw. */
  async end(): Promise<void> {
    const error = await this.failure()
    if (error !== undefined) throw error
  }

  /** Waits for the end: what the read threw, if it did. */
  async failure(): Promise<unknown> {
    return await within(this.#subject, this.#done, "the read to end")
  }

  abort(): void {
    this.#abort.abort()
  }

  async #pump(reading: AsyncIterable<Batch>): Promise<undefined> {
    try {
      for await (const batch of reading) {
        this.batches.push(batch)
        for (const line of batch.lines) this.lines.push(line)
      }
      for (const { position } of sample(this.batches)) expect(position).toMatch(POSITION)
      for (const { position, timestamp } of sample(this.lines)) {
        expect(position).toMatch(POSITION)
        expect(timestamp).toMatch(INSTANT)
      }
    } finally {
      this.#ended = true
    }
  }
}

/** All of a few; of many, the first, the last and some between: each costs a read of all behind it. */
function sample<T>(all: readonly T[]): readonly T[] {
  if (all.length <= 100) return all
  const step = Math.ceil(all.length / 12)
  return all.filter((_, index) => index % step === 0 || index === all.length - 1)
}

/** Reads what the log holds now. Fails on any gap. */
export async function read(
  subject: Subject,
  container: Container,
  start: Start,
  options: Omit<ReadOptions, "signal" | "follow"> = {},
): Promise<Reader> {
  const reader = new Reader(subject, container, start, { ...options, follow: false })
  await reader.end()
  expect(reader.gaps).toEqual([])
  return reader
}

/** Follows a running container, and aborts once there are so many lines. Fails on any gap. */
export async function follow(
  subject: Subject,
  container: Container,
  start: Start,
  lines: number,
): Promise<Reader> {
  const reader = new Reader(subject, container, start)
  await reader.count(lines)
  reader.abort()
  await reader.end()
  expect(reader.gaps).toEqual([])
  return reader
}

/** The container as the runtime under test lists it. */
export async function listed(
  subject: Subject,
  { id }: Pick<HostContainer, "id">,
): Promise<Container> {
  const containers = await list(subject)
  const container = containers.find((candidate) => candidate.id === id)
  if (!container) throw new Error(`container ${id} is not listed`)
  return container
}

export async function list(subject: Subject): Promise<readonly Container[]> {
  const listing = subject.runtime.list(new AbortController().signal)
  return await within(subject, listing, "the list")
}

/** Reads on from a position: exactly these lines are to come. */
export async function expectRest(
  subject: Subject,
  container: Container,
  position: string,
  rest: readonly Line[],
): Promise<void> {
  const { lines } = await read(subject, container, { from: "position", position })
  expect(facts(lines)).toEqual(facts(rest))
}

/**
 * From the position of each line and of each batch, exactly the lines behind it are read; many are
 * sampled. `all` is what a read from the beginning gives now, of which `reader` read some in a row.
 */
export async function expectPositions(
  subject: Subject,
  container: Container,
  reader: Reader,
  all: readonly Line[],
): Promise<void> {
  const positions: { readonly position: string; readonly read: number }[] = []
  let count = 0
  for (const batch of reader.batches) {
    for (const { position } of batch.lines) positions.push({ position, read: (count += 1) })
    positions.push({ position: batch.position, read: count })
  }
  const [first] = facts(reader.lines)
  const offset =
    first === undefined ? all.length : facts(all).findIndex((line) => Bun.deepEquals(line, first))
  for (const { position, read: lines } of sample(positions)) {
    await expectRest(subject, container, position, all.slice(offset + lines))
  }
}
