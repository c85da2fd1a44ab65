/**
 * Changes, as nerdctl prints containerd's events. It does not say when it has begun to listen, and what was before
 * that, nobody repeats: so lists are compared, until it is sure to listen.
 */
import { setTimeout as delay } from "node:timers/promises"
import { LinkedAbort } from "../src/abort.ts"
import { Bell } from "../src/bell.ts"
import type { Hint } from "../src/runtime.ts"
import type { Nerdctl } from "./nerdctl-client.ts"
import type { Listed } from "./nerdctl-containers.ts"
import { compareLists, parseEvent } from "./nerdctl-events.ts"

/** Between one comparison and the next. It begins to listen within 50 ms, or later on a machine that has much to do. */
const COMPARE_MS = [200, 500, 1_500, 5_000]

/** Hints wait for their reader here; more are lost, as hints may be. */
const MOST = 10_000

/** Bytes of one event, with all the labels of a container. */
const LONGEST = 16_777_216

type List = (signal: AbortSignal) => Promise<ReadonlyMap<string, Listed>>

/** Ends or throws when nerdctl does. */
export async function* watchContainers(
  nerdctl: Nerdctl,
  list: List,
  known: () => ReadonlyMap<string, Listed>,
  ready: () => void,
  signal: AbortSignal,
): AsyncGenerator<Hint, void> {
  const namespace = await nerdctl.ask("info", ["--mode=native", "--format={{.Namespace}}"], signal)
  using abort = new LinkedAbort(signal)
  const waiting: Hint[] = []
  const bell = new Bell()
  let over: { readonly error?: unknown } | undefined
  /** Whatever comes proves that it listens. */
  let isListening = false

  const add = (hint: Hint | undefined) => {
    if (hint && waiting.length < MOST) waiting.push(hint)
  }
  const listen = async () => {
    let rest = ""
    for await (const chunk of nerdctl.listen("events", ["--format=json"], abort.signal)) {
      isListening = true
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      if (rest.length > LONGEST) rest = ""
      for (const line of lines) {
        add(parseEvent(Buffer.from(line, "latin1").toString(), namespace.trim(), known()))
      }
      bell.ring()
    }
  }
  const compare = async (first: ReadonlyMap<string, Listed>) => {
    let before = first
    for (const ms of COMPARE_MS) {
      await delay(ms, undefined, { signal: abort.signal })
      const isLast = isListening
      const after = await list(abort.signal)
      for (const hint of compareLists(before, after)) add(hint)
      bell.ring()
      if (isLast) return
      before = after
    }
  }
  const end = (error?: unknown) => {
    over ??= error === undefined ? {} : { error }
    bell.ring()
  }

  const listening = listen().then(() => end(), end)
  try {
    const first = await list(abort.signal)
    compare(first).catch(end)
    ready()
    while (!signal.aborted) {
      const seen = bell.count
      yield* waiting.splice(0)
      if (over) break
      await bell.past(seen, 60_000, signal)
    }
    if (over?.error !== undefined && !signal.aborted) throw over.error
  } finally {
    abort.abort()
    await listening
  }
}
