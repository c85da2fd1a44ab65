/** The lines of a block, read off its bytes. */
import { type Block, type Line, POSITION_BYTES } from "../src/runtime.ts"
import type { Instant } from "../src/time.ts"

export function linesIn(block: Block): Line[] {
  const position = Buffer.alloc(POSITION_BYTES)
  return Array.from({ length: block.length }, (_, index) => {
    const [start = 0, end = 0] = [block.starts[index], block.ends[index]]
    const said = Buffer.from(block.bytes.subarray(start, end)).toString("utf8")
    return {
      stream: block.streams[index] === 1 ? "stdout" : "stderr",
      timestamp: said.slice(0, 30) as Instant,
      message: said.slice(31),
      position: position.toString("latin1", 0, block.writePosition(index, position, 0)),
    }
  })
}
