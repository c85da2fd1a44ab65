/** A runtime's response body as text: one char a byte, as much at once as has come. */
import type { Readable } from "node:stream"
import { bytesAtOnce } from "./budget.ts"

/** So much at once is enough. */
const ENOUGH = 65_536

/** What is there already comes without a pause: so long, at most, more of it is waited for. */
const GATHER_MS = 2

/**
 * Ends when the body has ended or the signal is aborted; throws when the connection broke. The body comes in one
 * chunk a log record, and an await for each would cost more than all the rest: what has come by the next turn
 * of the event loop is handed over in one.
 */
export async function* readChunks(
  body: Readable,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for await (const bytes of readBytes(body, signal)) yield bytes.toString("latin1")
}

/** The same, as bytes. `gathers`: nobody waits for each of them, as all are there already. */
export async function* readBytes(
  body: Readable,
  signal: AbortSignal,
  gathers = false,
): AsyncGenerator<Buffer, void> {
  const waiting: Buffer[] = []
  let size = 0
  let over = false
  let failure: unknown
  let wake = () => {}
  /** So much is worth waking for. */
  let least = 0
  const finish = (error?: unknown) => {
    if (!over) failure = error
    over = true
    wake()
  }
  body.on("data", (chunk: Buffer) => {
    waiting.push(chunk)
    size += chunk.length
    // So much may wait here before the runtime is made to wait.
    if (size > 2 * bytesAtOnce()) body.pause()
    if (size >= least) wake()
  })
  body.on("end", () => finish())
  body.on("error", finish)
  // Without an "end" before it, the connection went away in the middle.
  body.on("close", () => finish(new Error("the connection broke")))
  signal.addEventListener("abort", () => finish(), { once: true })
  try {
    while (!signal.aborted) {
      if (size > 0) {
        const bytes = Buffer.concat(waiting)
        waiting.length = 0
        size = 0
        body.resume()
        yield bytes
      } else if (over) {
        if (failure) throw failure
        return
      } else {
        least = 0
        await new Promise<void>((resolve) => (wake = resolve))
        if (over) continue
        if (gathers) {
          least = Math.min(ENOUGH, bytesAtOnce())
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, GATHER_MS)
            wake = () => {
              clearTimeout(timer)
              resolve()
            }
          })
        } else await new Promise<void>((resolve) => setImmediate(resolve))
      }
    }
  } finally {
    body.destroy()
  }
}
