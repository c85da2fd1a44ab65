/**
 * Blocks of lines → bytes, without a string or an object for a line. What is written around a line is taken from how
 * a single one is encoded, so that there is one place that says it.
 */
import type { Block, Line, Row, RowPart, StreamName } from "../runtime.ts"
import type { Scratch } from "../scratch.ts"
import type { Instant } from "../time.ts"

const FIELDS = ["timestamp", "message", "position"] as const

/**
 * What stands in a line that is encoded to see what is around it. Nobody can give a service such a name: it is another
 * one at each start.
 */
const SAMPLE = {
  timestamp: `0000-00-00 ${crypto.randomUUID()}` as Instant,
  message: crypto.randomUUID(),
  position: crypto.randomUUID(),
}

/** The lines of a block, one behind the other, in `scratch`. `inJson`: messages stand in strings of JSON. */
export function encodeBlock(
  block: Block,
  encode: (line: Line) => string,
  inJson: boolean,
  scratch: Scratch,
): Uint8Array {
  const rowOf = (stream: StreamName) => readRow(encode({ ...SAMPLE, stream }), inJson)
  const rows = { stdout: rowOf("stdout"), stderr: rowOf("stderr") }
  return block.toRows(rows, (bytes) => scratch.copy(bytes))
}

/** Finds what is a line's own. */
function readRow(text: string, inJson: boolean): Row {
  const fields = FIELDS.map((field) => ({ field, at: text.indexOf(SAMPLE[field]) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)
  const literals: Uint8Array[] = []
  let end = 0
  for (const { field, at } of fields) {
    literals.push(Buffer.from(text.slice(end, at)))
    end = at + SAMPLE[field].length
  }
  literals.push(Buffer.from(text.slice(end)))
  const parts = fields.map(({ field }): RowPart => {
    return field === "message" && inJson ? "jsonMessage" : field
  })
  return { literals, parts }
}
