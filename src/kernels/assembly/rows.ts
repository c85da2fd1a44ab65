/** The lines of a block as rows: what is the same in all of them, and the holes in it filled in. */
import { Block } from "./block"
import { copy, copyJson } from "./bytes"
import { INSTANT_BYTES } from "./stamp"

/** What stands behind a literal of a row; `logapi/placed-block.ts` knows them by the same numbers. */
const END: i32 = 0
const TIMESTAMP: i32 = 1
const MESSAGE: i32 = 2
/** In a string of JSON. */
const JSON_MESSAGE: i32 = 3
const POSITION: i32 = 4

/** Of a literal: where its bytes are, how many, and what stands behind them. */
const LITERAL_BYTES: usize = 12

const BACKSLASH: u8 = 0x5c
const TAB: u8 = 0x09
const T: u8 = 0x74

/**
 * `stdout` and `stderr` are the literals of a row of each stream; `positionEnds` is 0 where rows have no position. Where the
 * last row ends.
 */
export function writeRows(
  block: Block,
  positions: usize,
  positionEnds: usize,
  stdout: usize,
  stderr: usize,
  out: usize,
): usize {
  let at = out
  let position = positions
  let line: usize = 0
  /** Of the line. */
  let first = 0
  for (let index = 0; index < block.length; index++) {
    if (block.isOpen(index)) continue
    let positionEnd = positions
    if (positionEnds != 0) positionEnd += load<i32>(positionEnds + line)
    line += 4
    let literal = block.stream(index) == 2 ? stderr : stdout
    for (; ; literal += LITERAL_BYTES) {
      at = copy(load<u32>(literal), load<u32>(literal, 4), at)
      const part = load<i32>(literal, 8)
      if (part == END) break
      if (part == TIMESTAMP) at = copy(block.start(first), INSTANT_BYTES, at)
      else if (part == MESSAGE) at = copyMessage(block, first, index, at)
      else if (part == JSON_MESSAGE) at = copyMessageInJson(block, first, index, at)
      else if (part == POSITION) at = copy(position, positionEnd - position, at)
    }
    position = positionEnd
    first = index + 1
  }
  return at
}

/** Of a line, from the first of its records to its last one. */
function copyMessage(block: Block, first: i32, last: i32, out: usize): usize {
  let at = out
  for (let index = first; index <= last; index++) {
    const text = block.text(index)
    at = copy(text, block.end(index) - text, at)
  }
  return at
}

function copyMessageInJson(block: Block, first: i32, last: i32, out: usize): usize {
  let at = out
  for (let index = first; index <= last; index++) {
    at = copyInJson(block.text(index), block.end(index), at)
  }
  return at
}

/** A plain text as what stands for it in a string of JSON: quotes, backslashes and tabs need an escape. */
function copyInJson(from: usize, to: usize, out: usize): usize {
  const bytes = copyJson(from, out)
  let read = from + bytes
  let write = out + bytes
  // Behind the text stands a line feed, so that none goes too far.
  while (read < to) {
    const byte = load<u8>(read++)
    store<u8>(write++, BACKSLASH)
    store<u8>(write++, byte == TAB ? T : byte)
    const more = copyJson(read, write)
    read += more
    write += more
  }
  return write
}
