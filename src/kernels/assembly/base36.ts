/** Numbers in base 36, as `toString(36)` has them. */

/** Of 32 bits or of 64, whose divisions are much slower. Where it ends. */
export function writeBase36<Unsigned>(value: Unsigned, to: usize): usize {
  const base = <Unsigned>36
  let digits: usize = 1
  for (let rest = value / base; rest > 0; rest /= base) digits++
  let rest = value
  for (let at = to + digits - 1; at >= to; at--) {
    const next = rest / base
    const digit = <u8>(rest - next * base)
    store<u8>(at, digit < 10 ? 0x30 + digit : 0x57 + digit)
    rest = next
  }
  return to + digits
}
