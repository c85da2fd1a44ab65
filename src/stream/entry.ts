/** A step forward in one container's log: what readers hand over and merges put in order. */
import type { Member } from "../apps/app.ts"
import type { Batch, Gap, Line, ReadOptions, Start } from "../runtime.ts"
import type { LogReader } from "./counted.ts"
import { Packed, type Some } from "./some.ts"

export interface Entry {
  readonly member: Member
  readonly line?: Line
  /** Stands before the line. */
  readonly gap?: Gap
  /** Where the container's reader is behind this entry. */
  readonly position: string
}

/** A batch's lines, the first with its gap; and its position, if no line has it. */
export function toEntries(member: Member, { gap, lines, position }: Batch): Entry[] {
  const entries: Entry[] = lines.map((line) => ({ member, line, position: line.position }))
  const [first] = entries
  if (gap && first) entries[0] = { ...first, gap }
  if (entries.at(-1)?.position !== position) {
    entries.push({ member, ...(gap && !first && { gap }), position })
  }
  return entries
}

/** `Runtime.read`, as entries. */
export async function* readEntries(
  runtime: LogReader,
  member: Member,
  start: Start,
  options: ReadOptions,
): AsyncGenerator<Some<Entry>, void> {
  for await (const batch of runtime.read(member.container, start, options)) {
    const { block, gap, position } = batch
    yield block && !gap
      ? new Packed(member, block, position, () => toEntries(member, batch))
      : toEntries(member, batch)
  }
}
