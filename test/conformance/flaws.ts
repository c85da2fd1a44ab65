/**
 * The runtime in memory, spoilt in one way each: what the suite must not let pass. A flaw names the case
 * that is there to find it.
 */
import { Failure } from "../../src/errors.ts"
import type { Line } from "../../src/runtime.ts"
import { shift } from "../../src/time.ts"
import {
  asking,
  deaf,
  eachLine,
  type Flaw,
  giving,
  shiftedPosition,
  throwing,
  unended,
} from "./broken.ts"

export const FLAWS: readonly Flaw[] = [
  {
    name: "drops a line at resumption",
    foundBy: "from the beginning: every line, and from every position",
    spoil: shiftedPosition(1),
  },
  {
    name: "repeats a line at resumption",
    foundBy: "from the beginning: every line, and from every position",
    spoil: shiftedPosition(-1),
  },
  {
    name: "takes the border of a time for its inside",
    foundBy: "from a time: exactly what is stamped later",
    spoil: asking((start, options) => [
      start.from === "time" ? { ...start, after: shift(start.after, -1n) } : start,
      options,
    ]),
  },
  {
    name: "rounds times to the microsecond",
    foundBy: "from a time: exactly what is stamped later",
    spoil: asking((start, options) => {
      if (start.from !== "time") return [start, options]
      const after = shift(start.after, -(BigInt(start.after.slice(26, 29)) % 1_000n))
      return [{ ...start, after }, options]
    }),
  },
  {
    name: "ignores the signal",
    foundBy: "follow that is aborted ends at once",
    spoil: asking((start, options) => [
      start,
      { ...options, signal: new AbortController().signal },
    ]),
  },
  {
    name: "throws when it is aborted",
    foundBy: "follow that is aborted ends at once",
    spoil: (sound) => ({
      read: (container, start, options) =>
        throwing(sound.read(container, start, options), options.signal),
    }),
  },
  {
    name: "counts one line too many from the last",
    foundBy: "from the last: none, one, some",
    spoil: asking((start, options) => [
      start.from === "last" ? { ...start, lines: start.lines + 1 } : start,
      options,
    ]),
  },
  {
    name: "looks for the last lines among the last ones only",
    foundBy: "from the last where something holds",
    spoil: (sound) => ({
      async *read(container, start, options) {
        if (start.from !== "last") return yield* sound.read(container, start, options)
        const all = { ...start, where: () => true }
        for await (const batch of sound.read(container, all, options)) {
          yield { ...batch, lines: batch.lines.filter((line) => start.where(line)) }
        }
      },
    }),
  },
  {
    name: "gives no position behind a start at the end",
    foundBy: "from the end: at once a batch without lines",
    spoil: (sound) => ({
      async *read(container, start, options) {
        for await (const batch of sound.read(container, start, options)) {
          if (batch.lines.length > 0) yield batch
        }
      },
    }),
  },
  {
    name: "puts a batch's position before its last line",
    foundBy: "from the beginning: every line, and from every position",
    spoil: giving((batch) => ({
      ...batch,
      position: batch.lines.at(-2)?.position ?? batch.position,
    })),
  },
  {
    name: "gives positions that no URL can carry",
    foundBy: "from the beginning: every line, and from every position",
    spoil: giving((batch) => ({ ...batch, position: `${batch.position}=` })),
  },
  {
    name: "mistakes one stream for the other",
    foundBy: "both streams together",
    spoil: eachLine((line) => ({ ...line, stream: "stdout" })),
  },
  {
    name: "trims messages",
    foundBy: "control bytes, SSE syntax",
    spoil: eachLine((line) => ({ ...line, message: line.message.trim() })),
  },
  {
    name: "takes a byte order mark away",
    foundBy: "control bytes, SSE syntax",
    spoil: eachLine((line) => ({ ...line, message: line.message.replace(/^\ufeff/, "") })),
  },
  {
    name: "leaves out empty lines",
    foundBy: "empty lines are lines",
    spoil: giving((batch) => ({ ...batch, lines: batch.lines.filter(({ message }) => message) })),
  },
  {
    name: "cuts long lines",
    foundBy: "lines around the runtime's record limit",
    spoil: eachLine((line) => ({ ...line, message: line.message.slice(0, 16_384) })),
  },
  {
    name: "does not end with its container",
    foundBy: "follow ends when the container does",
    spoil: (sound) => ({
      read: (container, start, options) =>
        unended(sound.read(container, start, options), container, sound),
    }),
  },
  {
    name: "keeps the last words of a container to itself",
    foundBy: "follow ends when the container does",
    spoil: giving((batch, start) => {
      const unheard = (line: Line) =>
        start.from === "beginning" && line.message.startsWith("last words")
      return { ...batch, lines: batch.lines.filter((line) => !unheard(line)) }
    }),
  },
  {
    name: "says nothing of a rotation",
    foundBy: "a position whose place was rotated away",
    spoil: giving(({ lines, position }) => ({ lines, position })),
  },
  {
    name: "throws for a container that is gone",
    foundBy: "a container that there is not",
    spoil: (sound) => ({
      async *read(container, start, options) {
        const all = await sound.list(options.signal)
        if (!all.some(({ id }) => id === container.id)) throw new Error("no such container")
        yield* sound.read(container, start, options)
      },
    }),
  },
  {
    name: "throws what is no Failure when the runtime is away",
    foundBy: "while the runtime is away",
    spoil: (sound) => ({
      list: (signal) =>
        sound.list(signal).catch((error: unknown) => {
          throw new Error("ECONNREFUSED", { cause: error })
        }),
    }),
  },
  {
    name: "ends, as if the container had, when the runtime goes away",
    foundBy: "while the runtime is away",
    spoil: (sound) => ({
      async *read(container, start, options) {
        try {
          yield* sound.read(container, start, options)
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== "runtime_unavailable") throw error
        }
      },
    }),
  },
  {
    name: "is ready before it watches",
    foundBy: "watch is ready before it can miss anything",
    spoil: (sound) => ({
      watch: (ready, signal) => deaf((then) => sound.watch(then, signal), ready),
    }),
  },
  {
    name: "lists only what runs",
    foundBy: "list has every container",
    spoil: (sound) => ({
      list: async (signal) => (await sound.list(signal)).filter(({ state }) => state === "running"),
    }),
  },
  {
    name: "cannot be disposed twice",
    foundBy: "a runtime can be disposed twice",
    spoil: (sound) => {
      let disposed = false
      return {
        async [Symbol.asyncDispose]() {
          if (disposed) throw new Error("disposed already")
          disposed = true
          await sound[Symbol.asyncDispose]()
        },
      }
    },
  },
]
