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
 * `outEnds`.
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
  let hash = hashes + (hashed << 2)
  for (let index = 0; index < block.length; index++) {
    const inBlock = block.count(index)
    const start = block.start(index)
    const first = block.start(index + 1 - inBlock)
    const count = inBlock > index ? counted + inBlock : inBlock
    const own = xxHash32(start, block.end(index) + 1 - start, block.stream(index))
    store<u32>(hash, own)
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
      at = writeBase36(fold(hash - ((depth - 1) << 2), hash), at)
      store<u8>(at++, 0x5f)
    }
    at = writeBase36(own, at)
    store<i32>(outEnds + (index << 2), <i32>(at - out))
    hash += 4
  }
  return at
}

/** As `foldHashes` in `logapi/anchor.ts`. */
function fold(from: usize, to: usize): u32 {
  let folded: u32 = 0
  for (let at = from; at < to; at += 4) folded = (folded * PRIME) ^ load<u32>(at)
  return folded
}
