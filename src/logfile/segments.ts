/** The files of a log in the order in which they were written: `log.2.gz`, `log.1`, `log`. */
import { readdir, stat } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { LogReadError } from "../records/record.ts"
import { Segment } from "./segment.ts"

/** Nobody rotates a log so often that it is never found at rest. */
const TRIES = 100

/** Opens every file of the log, the oldest first. */
export async function openSegments(path: string): Promise<Segment[]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const segments: Segment[] = []
    const opened: string[] = []
    try {
      for (const name of ["", ...(await rotatedNames(path))]) {
        const segment = await Segment.open(path + name)
        if (!segment) continue
        segments.push(segment)
        opened.push(`${name} ${segment.id}`)
      }
      // A rotation gives one file after the other another name: one may have been met twice, or not at all.
      if ((await whatIsThere(path)).join() === opened.join()) return await inOrder(segments)
    } catch (error) {
      await closeAll(segments)
      throw error
    }
    await closeAll(segments)
  }
  throw new LogReadError("the log's files are rotated all the time")
}

export async function closeAll(segments: readonly Segment[]): Promise<void> {
  for (const segment of segments) await segment[Symbol.asyncDispose]()
}

/** Whether that file, the newest, has another one behind it now, or is gone. */
export async function isReplaced(path: string, { id }: Segment): Promise<boolean> {
  if ((await idOf(path)) === id) return false
  const segments = await openSegments(path)
  await closeAll(segments)
  return segments.at(-1)?.id !== id
}

/** Which file has that name now: a `Segment.id`. `undefined`: none. */
async function idOf(path: string): Promise<string | undefined> {
  const file = await stat(path, { bigint: true }).catch(() => undefined)
  return file && `${file.dev}:${file.ino}`
}

/** The oldest first. While a new file is empty, whoever writes may still have the old one open, and go on with it. */
async function inOrder(newestFirst: readonly Segment[]): Promise<Segment[]> {
  let empty = 0
  for (const segment of newestFirst.slice(0, -1)) {
    if (segment.isPacked || (await segment.size()) > 0) break
    empty++
  }
  await closeAll(newestFirst.slice(0, empty))
  return newestFirst.slice(empty).toReversed()
}

/** Names and ids, the newest first. */
async function whatIsThere(path: string): Promise<string[]> {
  const found: string[] = []
  for (const name of ["", ...(await rotatedNames(path))]) {
    const id = await idOf(path + name)
    if (id !== undefined) found.push(`${name} ${id}`)
  }
  return found
}

/** What is behind the log's name, the newest first. */
async function rotatedNames(path: string): Promise<string[]> {
  const prefix = basename(path)
  const names = new Map<number, string>()
  // Without a directory there is no log: its container is gone.
  for (const file of await readdir(dirname(path), { withFileTypes: true }).catch(() => [])) {
    if (!file.isFile()) continue
    const name = file.name.startsWith(prefix) ? file.name.slice(prefix.length) : ""
    const number = Number(/^\.([1-9]\d{0,5})(?:\.gz)?$/.exec(name)?.[1])
    // While a file is being compressed it is there twice, and only the first is whole.
    if (number && !(name.endsWith(".gz") && names.has(number))) names.set(number, name)
  }
  return [...names].toSorted(([a], [b]) => a - b).map(([, name]) => name)
}
