/** What is told of each record of a block, as `src/records/block.ts` has it: each column behind the one before it. */
import { INSTANT_BYTES } from "./stamp"

let starts: usize = 0
let ends: usize = 0
let counts: usize = 0
let streams: usize = 0
let most: i32 = 0

/** Of the records so far. */
export let length: i32 = 0
/** What starts and ends are counted from. */
let origin: usize = 0
/** Where the last record ends: what is written of the next one begins here. */
export let written: usize = 0
/** Where the first record stands that bears the latest time so far. */
let latest: usize = 0

/** For a block of so many records at most, of `bytes`. */
export function begin(columns: usize, room: i32, bytes: usize): void {
  starts = columns
  ends = starts + (room << 2)
  counts = ends + (room << 2)
  streams = counts + (room << 2)
  most = room
  length = 0
  origin = bytes
  written = bytes
}

/** A record: `start` is where its time stands, `end` its line feed. */
export function add(start: usize, end: usize, stream: u8): void {
  const at: usize = length << 2
  store<i32>(starts + at, <i32>(start - origin))
  store<i32>(ends + at, <i32>(end - origin))
  store<u8>(streams + length, stream)
  const isLatest = length == 0 || isLater(start, latest)
  if (isLatest) latest = start
  store<i32>(counts + at, isLatest ? 1 : load<i32>(counts + at - 4) + 1)
  written = end + 1
  length++
}

export function isFull(): bool {
  return length == most
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
