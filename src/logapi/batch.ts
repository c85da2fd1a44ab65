import type { Batch, Gap, Line } from "../runtime.ts"
import type { PlacedLines } from "./pass.ts"
import { formatPlace } from "./place.ts"
import { PlacedBlock } from "./placed-block.ts"

/** With a gap that was known before, which ends at the first line. */
export function toBatch({ lines, place, gap }: PlacedLines, known: Gap | undefined): Batch {
  const position = formatPlace(place)
  const isBlock = lines instanceof PlacedBlock
  const to = isBlock ? lines.first : lines[0]?.timestamp
  const told = known ? { ...known, ...(to && { to }) } : gap
  if (isBlock) return new BlockBatch(lines, position, told)
  return { ...(told && { gap: told }), lines, position }
}

/** Its lines become objects when somebody looks at them. */
class BlockBatch implements Batch {
  declare readonly gap?: Gap
  readonly block: PlacedBlock
  readonly position: string

  constructor(block: PlacedBlock, position: string, gap?: Gap) {
    if (gap) this.gap = gap
    this.block = block
    this.position = position
  }

  get lines(): readonly Line[] {
    return this.block.lines
  }
}
