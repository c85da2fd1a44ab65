/** Figures as people read them: the middle of several rounds, how far they lie apart, and tables of both. */

/** The middle value; between two, half way. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value that the share `at` (0…1) of all values does not exceed; NaN of none. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = at * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** `4.21 (4.05–4.90)`: the median, the least and the most. */
export function spread(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)]
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

/**
 * How surely pairs of values differ from each other by more than chance: Student's t of their differences, without the
 * twentieths at both ends, where the machine had something else to do.
 */
export function pairedT(one: readonly number[], other: readonly number[]): number {
  const all = one.map((value, index) => value - (other[index] ?? Number.NaN))
  const cut = Math.floor(all.length / 20)
  const differences = all.toSorted((a, b) => a - b).slice(cut, all.length - cut)
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const error = Math.sqrt(squares / (differences.length - 1) / differences.length)
  return Math.abs(mean) / error
}

/** `1,234,567`. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US")
}

/** Whether a target was met, for the end of a line. */
export function verdict(met: boolean): string {
  return met ? "met" : "MISSED"
}

/** Columns as wide as their widest cell: the first one to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    return `  ${cells.join("  ")}`
  })
  return lines.join("\n")
}
