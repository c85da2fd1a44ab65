/** Names by a pattern: `*` stands for any text, also for none, and every other character for itself. */

/**
 * Whether the pattern is the name's, from its first character to its last. Each piece between two stars is looked for
 * once, from where the one before it ended, and never tried again: what a client asks for cannot make it slow.
 */
export function matches(pattern: string, name: string): boolean {
  const [head = "", ...pieces] = pattern.split("*")
  const tail = pieces.pop()
  if (tail === undefined) return name === head
  if (!name.startsWith(head)) return false
  let from = head.length
  for (const piece of pieces) {
    const at = name.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return name.length - tail.length >= from && name.endsWith(tail)
}
