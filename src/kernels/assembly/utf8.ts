/** Characters of UTF-8 that are no ASCII. */

/**
 * How many bytes the character takes that begins at `at`, as table 3-7 of the Unicode standard has them; 0: it is none,
 * or a C1 control.
 */
export function wideBytes(at: usize): usize {
  const first = load<u8>(at)
  const second = load<u8>(at, 1)
  if (first < 0xe0) {
    const least: u8 = first == 0xc2 ? 0xa0 : 0x80
    return first >= 0xc2 && isBetween(second, least, 0xbf) ? 2 : 0
  }
  if (!isBetween(load<u8>(at, 2), 0x80, 0xbf)) return 0
  if (first < 0xf0) {
    const least: u8 = first == 0xe0 ? 0xa0 : 0x80
    // Behind it would be surrogates.
    return isBetween(second, least, first == 0xed ? 0x9f : 0xbf) ? 3 : 0
  }
  const least: u8 = first == 0xf0 ? 0x90 : 0x80
  const most: u8 = first == 0xf4 ? 0x8f : 0xbf
  const isWide =
    first < 0xf5 && isBetween(second, least, most) && isBetween(load<u8>(at, 3), 0x80, 0xbf)
  return isWide ? 4 : 0
}

function isBetween(byte: u8, least: u8, most: u8): bool {
  return byte >= least && byte <= most
}
