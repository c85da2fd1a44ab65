/** The files of a log in the order in which they were written: `log.2.gz`, `log.1`, `log`. */
import { readdir, stat } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { LogReadError } from "../records/record.ts"
import { type Seek, seekBeginning } from "./seek.ts"
import { Segment } from "./segment.ts"

/** Nobody rotates a log so often that it is never found at rest. */
const TRIES = 100

/**
 * What becomes of a file that is full. `number`: it gets a number, `.1` being that of the newest, as with Docker.
 * `time`: it gets a number or a date that does not tell its age, as nerdctl begins anew with each start of the
 * container; when it was written last does, unless the clock steps back by more than a file's age. `replace`: a new
 * file is renamed over it, and it is gone.
 */
export type Rotation = "number" | "time" | "replace"

/** Files of a log, the oldest first, and the byte of the first one where to begin. */
interface Opened {
  readonly segments: Segment[]
  readonly at: number
}

/** Opens a log's files from the newest back to the one where to begin. `seeking` makes a seek for each try. */
export async function openSegments(
  path: string,
  rotation: Rotation,
  seeking: () => Seek = seekBeginning,
): Promise<Opened> {
  for (let tries = 0; tries < TRIES; tries++) {
    const segments: Segment[] = []
    const opened: string[] = []
    const seek = seeking()
    let at: number | undefined
    let names = 0
    try {
      for await (const name of namesOf(path, rotation)) {
        names++
        const segment = await Segment.open(path + name)
        if (!segment) continue
        segments.push(segment)
        opened.push(`${name} ${segment.id}`)
        if (!(await isEmpty(segment))) at = await seek(segment)
        if (at !== undefined) break
      }
      // A rotation gives one file after the other another name: one may have been met twice, or not at all.
      if ((await whatIsThere(path, rotation, names)).join() === opened.join())
        return { segments: await inOrder(segments), at: at ?? 0 }
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
export async function isReplaced(
  path: string,
  rotation: Rotation,
  { id }: Segment,
): Promise<boolean> {
  if ((await idOf(path)) === id) return false
  const { segments } = await openSegments(path, rotation, () => async () => 0)
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
    if (!(await isEmpty(segment))) break
    empty++
  }
  await closeAll(newestFirst.slice(0, empty))
  return newestFirst.slice(empty).toReversed()
}

async function isEmpty(segment: Segment): Promise<boolean> {
  return !segment.isPacked && (await segment.size()) === 0
}

/** Names and ids of so many, the newest first. */
async function whatIsThere(path: string, rotation: Rotation, count: number): Promise<string[]> {
  const found: string[] = []
  let left = count
  for await (const name of namesOf(path, rotation)) {
    const id = await idOf(path + name)
    if (id !== undefined) found.push(`${name} ${id}`)
    if (--left === 0) break
  }
  return found
}

/** What may be behind the log's name, the newest first. Whoever needs only the newest has no directory listed. */
async function* namesOf(path: string, rotation: Rotation): AsyncGenerator<string> {
  yield ""
  yield* await rotatedNames(path, rotation)
}

/** The number, or the kubelet's date, in the name of a file that was rotated away. */
const NUMBERED = /^\.([1-9]\d{0,5})(?:\.gz)?$/
const DATED = /^\.([1-9]\d{0,5}|\d{8}-\d{6})(?:\.gz)?$/

/** Those of the files that were rotated away. */
async function rotatedNames(path: string, rotation: Rotation): Promise<string[]> {
  const prefix = basename(path)
  const names = new Map<string, string>()
  // Without a directory there is no log: its container is gone.
  for (const file of await readdir(dirname(path), { withFileTypes: true }).catch(() => [])) {
    if (!file.isFile()) continue
    const name = file.name.startsWith(prefix) ? file.name.slice(prefix.length) : ""
    const mark = (rotation === "time" ? DATED : NUMBERED).exec(name)?.[1]
    // While a file is being compressed it is there twice, and only the first is whole.
    if (mark && !(name.endsWith(".gz") && names.has(mark))) names.set(mark, name)
  }
  if (rotation === "time") return byTime(path, [...names.values()])
  return [...names].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, name]) => name)
}

async function byTime(path: string, names: readonly string[]): Promise<string[]> {
  const dated: { readonly name: string; readonly written: bigint }[] = []
  for (const name of names) {
    const file = await stat(path + name, { bigint: true }).catch(() => undefined)
    if (file) dated.push({ name, written: file.mtimeNs })
  }
  return dated.toSorted((a, b) => (a.written < b.written ? 1 : -1)).map(({ name }) => name)
}
