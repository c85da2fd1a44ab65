import { INSTANT_BYTES } from "./stamp"

/** Added to a stream: the line goes on in the next record. */
export const OPEN: u8 = 4

/** A block as `src/kernels/room.ts` puts it into memory: where its bytes and columns are, and how many lines it has. */
@unmanaged
export class Block {
  /** What starts and ends are counted from. */
  bytes: usize
  starts: usize
  ends: usize
  streams: usize
  counts: usize
  /** Of the records. */
  length: i32

  /** Where a line begins: with its time. */
  start(index: i32): usize {
    return this.bytes + load<i32>(this.starts + (index << 2))
  }

  /** Where its text does. */
  text(index: i32): usize {
    return this.start(index) + INSTANT_BYTES + 1
  }

  /** Where its line feed stands. */
  end(index: i32): usize {
    return this.bytes + load<i32>(this.ends + (index << 2))
  }

  stream(index: i32): u8 {
    return load<u8>(this.streams + index) & ~OPEN
  }

  isOpen(index: i32): bool {
    return (load<u8>(this.streams + index) & OPEN) != 0
  }

  count(index: i32): i32 {
    return load<i32>(this.counts + (index << 2))
  }
}
