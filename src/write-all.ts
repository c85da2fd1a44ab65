/** All of a text into a file, a pipe or a terminal, at the pace of whoever reads it. */
import { write } from "node:fs"

/** Until a pipe that somebody has made non-blocking is asked again. */
const FULL_MS = 5

/** Rejects with what the system says: `EPIPE` when nobody reads any more. */
export async function writeAll(descriptor: number, text: string): Promise<void> {
  let bytes: Uint8Array = new TextEncoder().encode(text)
  while (bytes.length > 0) bytes = bytes.subarray(await writeSome(descriptor, bytes))
}

function writeSome(descriptor: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, (error, written) => {
      if (!error) resolve(written)
      else if (error.code === "EAGAIN") setTimeout(() => resolve(0), FULL_MS)
      else reject(error)
    })
  })
}
