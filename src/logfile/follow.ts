/** Waits for what is appended to a log's newest file: told by the kernel, and looking for itself now and then. */
import { dirname } from "node:path"
import { Bell } from "../bell.ts"
import type { Records } from "../records/block.ts"
import { type ForwardReader, readOn } from "./forward.ts"
import { ringOn } from "./ring.ts"
import { isReplaced, type Rotation } from "./segments.ts"

/** Where the kernel tells of no change (network and overlay file systems), it is looked for so often. */
const POLL_MS = 500

/**
 * Bun passes over a change less than two milliseconds behind one that it told (its `shouldEmit`): for a while, it is
 * looked for all the time.
 */
const UNTOLD_MS = { most: 4, poll: 1 }

/** Behind a silence of so long, and ever longer ones, is asked whether the container still runs. */
const ASK_MS = { first: 250, most: 30_000 }

interface Followed {
  readonly path: string
  readonly rotation: Rotation
  readonly running: (signal: AbortSignal) => Promise<boolean>
}

/** What is appended to the newest file. True: to its end, as it is not the newest any more. */
export async function* follow(
  { path, rotation, running }: Followed,
  reader: ForwardReader,
  signal: AbortSignal,
): AsyncGenerator<Records, boolean> {
  const bell = new Bell()
  const watcher = ringOn(["rename", "change"], dirname(path), bell)
  let askMs = ASK_MS.first
  let silentSince = performance.now()
  let stopped = false
  try {
    while (!signal.aborted) {
      const seen = bell.count
      const before = reader.end
      if (!(yield* readOn(reader, signal))) return false
      if (reader.end > before) {
        // As long as something comes nothing is asked: each question would make the next line wait.
        silentSince = performance.now()
        askMs = ASK_MS.first
      } else if (stopped) {
        return false
      }
      const silence = performance.now() - silentSince
      if (silence < UNTOLD_MS.most) {
        await bell.past(seen, UNTOLD_MS.poll, signal)
        continue
      }
      if (await isReplaced(path, rotation, reader.segment)) {
        // Once more, for what was written before it was replaced.
        return yield* readOn(reader, signal)
      }
      if (silence >= askMs) {
        stopped = !(await running(signal))
        askMs = Math.min(askMs * 2, ASK_MS.most)
      }
      // Once more, for what was written before it stopped.
      if (!stopped) await bell.past(seen, POLL_MS, signal)
    }
    return false
  } finally {
    watcher?.close()
  }
}
