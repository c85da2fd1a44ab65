/** Where in a log's files to begin: so many records before the end, or a little before a time. */
import type { Instant } from "../time.ts"
import type { FormatAt } from "./forward.ts"
import { RECORD_LIMIT } from "./pieces.ts"
import type { Segment } from "./segment.ts"

/** The beginning of a record. */
export interface Spot {
  /** Index of the file, the oldest being 0. */
  readonly segment: number
  /** Bytes. */
  readonly at: number
}

const CHUNK = 65_536

/** So much is read for nothing, at most, to find a time. */
const BLOCK = 1_048_576

/** The first of the last `count` whole records. */
export async function seekTail(segments: readonly Segment[], count: number): Promise<Spot> {
  /** Line feeds still to be met, the one at the end of the last record included. */
  let left = count + 1
  for (let index = segments.length - 1; index >= 0; index--) {
    const segment = segments[index] as Segment
    for (let end = await segment.size(); end > 0;) {
      const start = Math.max(0, end - CHUNK)
      const text = await segment.read(start, end - start)
      for (
        let at = text.lastIndexOf("\n");
        at >= 0;
        at = at > 0 ? text.lastIndexOf("\n", at - 1) : -1
      ) {
        if (--left === 0) return { segment: index, at: start + at + 1 }
      }
      end = start
    }
    // A file's first record has no line feed before it.
    if (left === 1) return { segment: index, at: 0 }
  }
  return { segment: 0, at: 0 }
}

/**
 * A record before which none is stamped at `from` or later: as long as the clock did not step back over a block's
 * border, which only a look at every record would tell.
 */
export async function seekTime(
  segments: readonly Segment[],
  from: Instant,
  formatAt: FormatAt,
): Promise<Spot> {
  /** Where each block begins, as if all files were one. */
  const blocks: Spot[] = []
  let length = 0
  for (const [index, segment] of segments.entries()) {
    const size = await segment.size()
    for (; blocks.length * BLOCK < length + size;) {
      blocks.push({ segment: index, at: blocks.length * BLOCK - length })
    }
    length += size
  }
  let found: Spot = { segment: 0, at: 0 }
  for (let [low, high] = [0, blocks.length]; high - low > 1;) {
    const middle = (low + high) >> 1
    const record = await firstRecord(segments, blocks[middle] as Spot, formatAt)
    if (record && record.time < from) [low, found] = [middle, record.spot]
    else high = middle
  }
  return found
}

/** The first record that begins in a block of a file, or in the file behind it. */
async function firstRecord(
  segments: readonly Segment[],
  { segment: index, at }: Spot,
  formatAt: FormatAt,
): Promise<{ spot: Spot; time: Instant } | undefined> {
  const segment = segments[index]
  if (!segment) return undefined
  // From the byte before it on: a line feed there says that a record begins at `at`.
  const start = Math.max(0, at - 1)
  for (const length of [CHUNK, 2 * RECORD_LIMIT]) {
    const text = await segment.read(start, length)
    const begin = at === 0 ? 0 : text.indexOf("\n") + 1
    const end = text.indexOf("\n", begin)
    if (end < 0) continue
    const { parse } = await formatAt(segment, start + begin)
    const record = parse(text, begin, end, start + begin)
    return record && { spot: { segment: index, at: start + begin }, time: record.timestamp }
  }
  return firstRecord(segments, { segment: index + 1, at: 0 }, formatAt)
}
