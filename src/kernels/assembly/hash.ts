/** xxHash32, as its specification has it (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): the hash of `logapi/anchor.ts`. */

const PRIME_1: u32 = 0x9e3779b1
const PRIME_2: u32 = 0x85ebca77
const PRIME_3: u32 = 0xc2b2ae3d
const PRIME_4: u32 = 0x27d4eb2f
const PRIME_5: u32 = 0x165667b1

const STRIPE: usize = 16

/** Of a stripe or more: a record has a time. */
export function xxHash32(from: usize, length: usize, seed: u32): u32 {
  const end = from + length
  let at = from
  let one = seed + PRIME_1 + PRIME_2
  let two = seed + PRIME_2
  let three = seed
  let four = seed - PRIME_1
  for (; at + STRIPE <= end; at += STRIPE) {
    one = round(one, load<u32>(at))
    two = round(two, load<u32>(at, 4))
    three = round(three, load<u32>(at, 8))
    four = round(four, load<u32>(at, 12))
  }
  let hash = rotl(one, 1) + rotl(two, 7) + rotl(three, 12) + rotl(four, 18)
  hash += <u32>length
  for (; at + 4 <= end; at += 4) hash = rotl(hash + load<u32>(at) * PRIME_3, 17) * PRIME_4
  for (; at < end; at++) hash = rotl(hash + <u32>load<u8>(at) * PRIME_5, 11) * PRIME_1
  hash = (hash ^ (hash >> 15)) * PRIME_2
  hash = (hash ^ (hash >> 13)) * PRIME_3
  return hash ^ (hash >> 16)
}

function round(lane: u32, word: u32): u32 {
  return rotl(lane + word * PRIME_2, 13) * PRIME_1
}
