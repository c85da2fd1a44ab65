/** A block as `src/kernels/room.ts` puts it into memory: where its bytes and columns are, and how many lines it has. */

/** What starts and ends are counted from. */
export function bytesOf(block: usize): usize {
  return load<u32>(block)
}

export function startsOf(block: usize): usize {
  return load<u32>(block, 4)
}

export function endsOf(block: usize): usize {
  return load<u32>(block, 8)
}

export function streamsOf(block: usize): usize {
  return load<u32>(block, 12)
}

export function countsOf(block: usize): usize {
  return load<u32>(block, 16)
}

export function lengthOf(block: usize): i32 {
  return load<i32>(block, 20)
}
