/** What is told of each record of a block, as `src/records/block.ts` has it: each column behind the one before it. */
import { OPEN } from "./block"
import { isSame } from "./bytes"
import { INSTANT_BYTES } from "./stamp"

/** Of a time: its hundredth of a second. No container is started anew in that, and goes on with what it had begun. */
const HUNDREDTH_BYTES: usize = 22

/** Less than any limit at which a line is cut in pieces. */
const MOST_OPEN_BYTES: usize = 32_768

let starts: usize = 0
let ends: usize = 0
let counts: usize = 0
let streams: usize = 0
let most: i32 = 0

/** Of the records so far. */
let count: i32 = 0
/** Of those that are lines, or whole lines together. */
export let length: i32 = 0
/** How many lines these are. */
export let lines: i32 = 0
/** Whether a line may be in several records. */
let joins: bool = false
/** What starts and ends are counted from. */
let origin: usize = 0
/** Where the last record ends: what is written of the next one begins here. */
export let written: usize = 0
/** Where the first record stands that bears the latest time so far. */
let latest: usize = 0

/** For a block of so many records at most, of `bytes`. `isJoining`: a record without a line feed is a part of a line. */
export function begin(columns: usize, room: i32, bytes: usize, isJoining: bool): void {
  starts = columns
  ends = starts + (room << 2)
  counts = ends + (room << 2)
  streams = counts + (room << 2)
  most = room
  count = 0
  length = 0
  lines = 0
  joins = isJoining
  origin = bytes
  written = bytes
}

/**
 * A record: `start` is where its time stands, `end` its line feed, `stream` perhaps `OPEN`. False: the line that it belongs to
 * is not plain.
 */
export function add(start: usize, end: usize, stream: u8): bool {
  const isOpen = (stream & OPEN) != 0
  if (isOpen && !joins) return false
  if (count > length && !goesOn(start, end, stream)) return false
  const at: usize = count << 2
  store<i32>(starts + at, <i32>(start - origin))
  store<i32>(ends + at, <i32>(end - origin))
  store<u8>(streams + count, stream)
  const isLatest = count == 0 || isLater(start, latest)
  if (isLatest) latest = start
  store<i32>(counts + at, isLatest ? 1 : load<i32>(counts + at - 4) + 1)
  written = end + 1
  count++
  if (isOpen) return true
  length = count
  lines++
  return true
}

export function isFull(): bool {
  return count == most
}

/** Whether a record is of the line that the last one left open. */
function goesOn(start: usize, end: usize, stream: u8): bool {
  const opened = origin + load<i32>(starts + (length << 2))
  const isNear = isSame(start, opened, HUNDREDTH_BYTES) && end - opened < MOST_OPEN_BYTES
  return isNear && ((load<u8>(streams + length) ^ stream) & ~OPEN) == 0
}

function isLater(at: usize, other: usize): bool {
  const last = INSTANT_BYTES - 8
  for (let index: usize = 0; index < last; index += 8) {
    const one = load<u64>(at + index)
    const two = load<u64>(other + index)
    if (one != two) return bswap(one) > bswap(two)
  }
  return bswap(load<u64>(at + last)) > bswap(load<u64>(other + last))
}
