/** A client for streams that costs next to nothing: what has come is handed on as it is, unread. */

/** What has not come by then never will. */
const PATIENCE_MS = 120_000

/** GETs a stream until `enough` says so of what has just come. Throws when the stream ends before. */
export async function readStream(
  socket: string,
  path: string,
  enough: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const connection = await Bun.connect({
    unix: socket,
    socket: {
      open: (open) => void open.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
      data: (_, bytes) => void (enough(bytes) && resolve()),
      error: (_, error) => reject(error),
      close: () => reject(new Error("the stream has ended")),
    },
  })
  const timer = setTimeout(() => reject(new Error("the last line does not come")), PATIENCE_MS)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    connection.terminate()
  }
}

/** The last line, and what may come in one piece with it: a ping. */
const END = 2_048

/** Tells when `last` has come, by the end of each piece alone. */
export function isLast(last: string): (bytes: Uint8Array) => boolean {
  const latin1 = new TextDecoder("latin1")
  let end = ""
  return (bytes) => {
    end = (end + latin1.decode(bytes.subarray(-END))).slice(-END)
    return end.includes(last)
  }
}
