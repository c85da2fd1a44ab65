/** Whether a file took the place of another one, or of yet another that did: what that one held is lost. */
import type { Segment } from "./segment.ts"

/** Nobody writes so much between two ticks of the kernel's clock. */
const TICK_BYTES = 4_194_304n

/**
 * A file that is renamed over another was made before the other lost its name, and every later one was made after
 * that. File systems that do not tell when a file was made prove nothing.
 */
export async function isSuccessor(newer: Segment, older: Segment): Promise<boolean> {
  const { nlink, ctimeNs: lostName, size } = await older.stat()
  const { birthtimeNs: made } = await newer.stat()
  if (nlink !== 0n || made === 0n) return false
  // Both may be told by the tick: then there is no later one where none can be full so soon.
  return made < lostName || (made === lostName && size >= TICK_BYTES)
}
