/** The files of a log in the order in which they were written: `log.2.gz`, `log.1`, `log`. */
import { readdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { Segment } from "./segment.ts"

/**
 * Opens every file of the log, the oldest first. They are renamed from newer to older names, so that who opens them
 * in that order may meet one twice, and misses none.
 */
export async function openSegments(path: string): Promise<Segment[]> {
  const segments: Segment[] = []
  const seen = new Set<string>()
  try {
    for (const name of ["", ...(await rotatedNames(path))]) {
      const segment = await Segment.open(path + name)
      if (segment && !seen.has(segment.id)) {
        seen.add(segment.id)
        segments.push(segment)
      } else await segment?.[Symbol.asyncDispose]()
    }
  } catch (error) {
    await closeAll(segments)
    throw error
  }
  return segments.toReversed()
}

export async function closeAll(segments: readonly Segment[]): Promise<void> {
  for (const segment of segments) await segment[Symbol.asyncDispose]()
}

/** What is behind the log's name, the newest first; and one more, as the oldest may be renamed meanwhile. */
async function rotatedNames(path: string): Promise<string[]> {
  const prefix = `${basename(path)}.`
  const numbers: number[] = []
  const packed = new Set<number>()
  // Without a directory there is no log: its container is gone.
  const names = await readdir(dirname(path)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix)) continue
    const match = /^([1-9]\d{0,5})(\.gz)?$/.exec(name.slice(prefix.length))
    if (!match) continue
    const number = Number(match[1])
    // While a file is being compressed it is there twice, and only the first is whole.
    if (match[2]) packed.add(number)
    else numbers.push(number)
  }
  const plain = new Set(numbers)
  const most = Math.max(0, ...numbers, ...packed)
  return Array.from({ length: most === 0 ? 1 : most + 1 }, (_, at) => at + 1).map((number) =>
    packed.has(number) && !plain.has(number) ? `.${number}.gz` : `.${number}`,
  )
}
