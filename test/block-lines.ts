/** The lines of a block, read off its bytes. */
import type { Block, Line } from "../src/runtime.ts"
import type { Instant } from "../src/time.ts"

export function linesIn(block: Block): Line[] {
  const positions = block.positions()
  const places = Buffer.from(positions.bytes).toString("latin1")
  return Array.from({ length: block.length }, (_, index) => {
    const [start = 0, end = 0] = [block.starts[index], block.ends[index]]
    const said = Buffer.from(block.bytes.subarray(start, end)).toString("utf8")
    return {
      stream: block.streams[index] === 1 ? "stdout" : "stderr",
      timestamp: said.slice(0, 30) as Instant,
      message: said.slice(31),
      position: places.slice(positions.ends[index - 1] ?? 0, positions.ends[index]),
    }
  })
}
