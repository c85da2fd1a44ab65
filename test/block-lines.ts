/** The lines of a block, read off its rows. */
import type { Block, Line, Row, StreamName } from "../src/runtime.ts"
import type { Instant } from "../src/time.ts"

/** None of these stands in a plain line. */
const SEPARATOR = "\x1f"
const END = "\n"

export function linesIn(block: Block): Line[] {
  const rows = { stdout: rowOf("stdout"), stderr: rowOf("stderr") }
  const all = block.toRows(rows, (bytes) => Buffer.from(bytes).toString("utf8"))
  const texts = all.split(END).slice(0, -1)
  return texts.map((text) => {
    const [stream, timestamp, position, message] = text.split(SEPARATOR) as [
      StreamName,
      Instant,
      string,
      string,
    ]
    return { stream, timestamp, message, position }
  })
}

function rowOf(stream: StreamName): Row {
  const literals = [stream + SEPARATOR, SEPARATOR, SEPARATOR, END]
  return {
    literals: literals.map((literal) => Buffer.from(literal)),
    parts: ["timestamp", "position", "message"],
  }
}
