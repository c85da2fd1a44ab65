/** A Unix socket's place in the file system: free, with its directory, and for owner and group alone. */
import { lstat, mkdir, unlink } from "node:fs/promises"
import { dirname } from "node:path"

/** Everything but reading and writing by owner and group: files are made with mode 0660. */
const SOCKET_UMASK = 0o117

/**
 * Makes the directory, and removes the socket of a process that has ended. Throws an Error if something
 * listens there, or if it is no socket.
 */
export async function clearSocketPath(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket()) throw new Error("there is a file with this name, and it is no socket")
  if (await isAnswered(path)) throw new Error("another process listens there already")
  await unlink(path)
}

/** The mode is right from the first moment: changed afterwards, it would be open in between. */
export function withSocketMode<Result>(bind: () => Result): Result {
  const before = process.umask(SOCKET_UMASK)
  try {
    return bind()
  } finally {
    process.umask(before)
  }
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}
