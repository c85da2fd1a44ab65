/** The positions of a block's lines, each as `formatPlace` in `logapi/place.ts` says the anchor behind it. */
import { writeBase36 } from "./base36"
import { Block } from "./block"
import { copy } from "./bytes"
import { writeEpochSeconds } from "./epoch"
import { xxHash32 } from "./hash"
import { SECOND_BYTES } from "./stamp"

/** As many hashes at most are folded: `HASH_DEPTH` in `logapi/anchor.ts`. */
const DEPTH: i32 = 8
/** As there. */
const PRIME: u32 = 0x01000193

const DASH: u8 = 0x2d

/**
 * `counted` records before the block bear the time of its first one. The hashes of the last ones of them, `hashed` in all,
 * stand at `hashes`, and those of the block are put behind them. Where the last position ends; where each one does goes to
 * `outEnds`. A line's is behind the last of its records.
 */
export function writePositions(
  block: Block,
  counted: i32,
  hashes: usize,
  hashed: i32,
  out: usize,
  outEnds: usize,
): usize {
  let at = out
  let outEnd = outEnds
  let hash = hashes + (hashed << 2)
  for (let index = 0; index < block.length; index++) {
    const inBlock = block.count(index)
    const start = block.start(index)
    const first = block.start(index + 1 - inBlock)
    const count = inBlock > index ? counted + inBlock : inBlock
    const isOpen = block.isOpen(index)
    const end = block.end(index)
    const own = xxHash32(start, (isOpen ? end : end + 1) - start, block.stream(index))
    store<u32>(hash, own)
    hash += 4
    if (isOpen) continue
    store<u8>(at++, 0x61)
    at = writeEpochSeconds(first, at)
    at = copy(first + SECOND_BYTES + 1, 9, at)
    store<u8>(at++, DASH)
    at = writeBase36(count, at)
    store<u8>(at++, DASH)
    const depth = min(count, DEPTH)
    at = writeBase36(depth, at)
    store<u8>(at++, DASH)
    if (depth > 1) {
      at = writeBase36(fold(hash - (depth << 2), hash - 4), at)
      store<u8>(at++, 0x5f)
    }
    at = writeBase36(own, at)
    store<i32>(outEnd, <i32>(at - out))
    outEnd += 4
  }
  return at
}

/** As `foldHashes` in `logapi/anchor.ts`. */
function fold(from: usize, to: usize): u32 {
  let folded: u32 = 0
  for (let at = from; at < to; at += 4) folded = (folded * PRIME) ^ load<u32>(at)
  return folded
}
