/** What a service does while others ask much of it. */

/** Does the work while so many clients read what they are given, as fast as it comes. How many bytes came to them. */
export async function besideReaders(
  socket: string,
  path: string,
  count: number,
  work: () => Promise<void>,
): Promise<number> {
  let bytes = 0
  const readers = await Promise.all(
    Array.from({ length: count }, () =>
      Bun.connect({
        unix: socket,
        socket: {
          open: (open) => void open.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
          data: (_, piece) => void (bytes += piece.byteLength),
        },
      }),
    ),
  )
  try {
    await work()
    return bytes
  } finally {
    for (const reader of readers) reader.terminate()
  }
}
