/** A runtime's response body as text: one char a byte, as much at once as has come. */
import type { Readable } from "node:stream"
import { bytesAtOnce } from "./budget.ts"
import { nap } from "./nap.ts"

/** So much at once is enough. */
const ENOUGH = 32_768

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
    wake()
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
        await new Promise<void>((resolve) => (wake = resolve))
        if (over) continue
        if (gathers) await gather(() => size)
        else await new Promise<void>((resolve) => setImmediate(resolve))
      }
    }
  } finally {
    body.destroy()
  }
}

/** Until enough has come, or nothing more comes. */
async function gather(size: () => number): Promise<void> {
  const enough = Math.min(ENOUGH, bytesAtOnce())
  for (let before = 0; before < size() && size() < enough;) {
    before = size()
    await nap()
  }
}
