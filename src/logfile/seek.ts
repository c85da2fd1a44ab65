/** Where in a log to begin: so many records before the end, or a little before a time. Its files come the newest first. */
import type { Instant } from "../time.ts"
import type { FormatAt } from "./forward.ts"
import { RECORD_LIMIT } from "./pieces.ts"
import type { Segment } from "./segment.ts"

/**
 * Is asked for one file after the other, each the one before the last: the byte where to begin, if that is in this one.
 * Older ones are not even opened then: there may be a thousand, and as many clients that come back.
 */
export type Seek = (segment: Segment) => Promise<number | undefined>

const CHUNK = 65_536

/** So much is read for nothing, at most, to find a time. */
const BLOCK = 1_048_576

/** All there is. */
export const seekBeginning = (): Seek => async () => undefined

/** The first of the last `count` whole records. */
export function seekTail(count: number): Seek {
  /** Line feeds still to be met, the one at the end of the last record included. */
  let left = count + 1
  return async (segment) => {
    for (let end = await segment.size(); end > 0;) {
      const start = Math.max(0, end - CHUNK)
      const text = await segment.read(start, end - start)
      for (
        let at = text.lastIndexOf("\n");
        at >= 0;
        at = at > 0 ? text.lastIndexOf("\n", at - 1) : -1
      ) {
        if (--left === 0) return start + at + 1
      }
      end = start
    }
    // A file's first record has no line feed before it.
    return left === 1 ? 0 : undefined
  }
}

/**
 * A record before which none is stamped at `from` or later: as long as the clock did not step back over the border of
 * a file or a block, which only a look at every record would tell.
 */
export function seekTime(from: Instant, formatAt: FormatAt): Seek {
  /** Bytes of this file and of those behind it. */
  let passed = 0
  return async (segment) => {
    const size = await segment.size()
    // What is read in a moment is rather read than believed to be in the order of its times.
    if ((passed += size) < BLOCK) return undefined
    const first = await firstRecord(segment, 0, formatAt)
    if (!first || first.time >= from) return undefined
    let found = 0
    const blocks = Math.ceil(size / BLOCK)
    for (let [low, high] = [0, blocks]; high - low > 1;) {
      const middle = (low + high) >> 1
      const record = await firstRecord(segment, middle * BLOCK, formatAt)
      if (record && record.time < from) [low, found] = [middle, record.at]
      else high = middle
    }
    return found
  }
}

/** The first record that begins at a byte of a file or behind it. `undefined`: none does for as long as one may be. */
async function firstRecord(
  segment: Segment,
  at: number,
  formatAt: FormatAt,
): Promise<{ at: number; time: Instant } | undefined> {
  // From the byte before it on: a line feed there says that a record begins at `at`.
  const start = Math.max(0, at - 1)
  for (const length of [CHUNK, 2 * RECORD_LIMIT]) {
    const text = await segment.read(start, length)
    const begin = at === 0 ? 0 : text.indexOf("\n") + 1
    const end = text.indexOf("\n", begin)
    if (end < 0) continue
    const { parse } = await formatAt(segment, start + begin)
    const record = parse(text, begin, end, start + begin)
    return record && { at: start + begin, time: record.timestamp }
  }
  return undefined
}
