/** Ways to spoil a runtime: what it is asked, what it gives, or how it behaves. */
import type {
  Batch,
  Container,
  Hint,
  Line,
  ReadOptions,
  Runtime,
  Start,
} from "../../src/runtime.ts"
import type { Subject } from "./host.ts"
import { memorySubject } from "./memory.ts"

/** How long a spoilt runtime is waited for. */
const PATIENCE_MS = 300

export interface Flaw {
  readonly name: string
  /** A part of the name of a case that must fail. */
  readonly foundBy: string
  /** The methods that are replaced; each may call those of the sound runtime. */
  readonly spoil: (sound: Runtime, subject: Subject) => Partial<Runtime>
}

export function brokenSubject({ spoil }: Flaw): Subject {
  const subject = memorySubject(PATIENCE_MS)
  const { runtime: sound, host } = subject
  const runtime: Runtime = {
    name: "broken",
    ping: (signal) => sound.ping(signal),
    list: (signal) => sound.list(signal),
    watch: (ready, signal) => sound.watch(ready, signal),
    read: (container, start, options) => sound.read(container, start, options),
    [Symbol.asyncDispose]: () => sound[Symbol.asyncDispose](),
    ...spoil(sound, subject),
  }
  return { runtime, host }
}

/** Spoils what is asked of the sound runtime. */
export function asking(
  change: (start: Start, options: ReadOptions) => readonly [Start, ReadOptions],
): Flaw["spoil"] {
  return (sound) => ({
    read: (container, start, options) => sound.read(container, ...change(start, options)),
  })
}

/** Spoils the batches that the sound runtime gives. */
export function giving(
  change: (batch: Batch, start: Start, number: number) => Batch,
): Flaw["spoil"] {
  return (sound) => ({
    async *read(container, start, options) {
      let number = 0
      for await (const batch of sound.read(container, start, options)) {
        yield change(batch, start, number)
        number += 1
      }
    },
  })
}

export function eachLine(change: (line: Line) => Line): Flaw["spoil"] {
  return giving((batch) => ({ ...batch, lines: batch.lines.map(change) }))
}

/** Moves a start at a position by so many lines. */
export function shiftedPosition(by: number): Flaw["spoil"] {
  return asking((start, options) => {
    if (start.from !== "position") return [start, options]
    const at = Math.max(0, Number(start.position.slice(1)) + by)
    return [{ ...start, position: `p${at}` }, options]
  })
}

export async function* throwing(read: AsyncIterable<Batch>, signal: AbortSignal) {
  yield* read
  if (signal.aborted) throw new Error("aborted")
}

export async function* unended(read: AsyncIterable<Batch>, container: Container, sound: Runtime) {
  yield* read
  const all = await sound.list(new AbortController().signal)
  if (all.find(({ id }) => id === container.id)?.state === "exited") await new Promise(() => {})
}

export async function* deaf(
  watch: (ready: () => void) => AsyncIterable<Hint>,
  ready: () => void,
): AsyncGenerator<Hint> {
  ready()
  // What happens in these turns is missed.
  await Bun.sleep(20)
  yield* watch(() => {})
}
