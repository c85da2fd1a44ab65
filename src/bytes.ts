/** Copies a few bytes, many times over. */

/** From here on a native copy is quicker than one byte by byte. */
const LONG = 24

/** Where the copy ends. */
export function copy(bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  if (to - from >= LONG) return at + bytes.copy(out, at, from, to)
  let end = at
  for (let index = from; index < to; index++) out[end++] = bytes[index] as number
  return end
}
