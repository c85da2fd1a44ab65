/** How a figure moves over a long run. */

export interface Sample {
  /** In milliseconds, from any beginning. */
  readonly at: number
  readonly value: number
}

const HOUR_MS = 3_600_000

/** By how much the figure grows in an hour: the slope of the line with the least squares. */
export function slopePerHour(samples: readonly Sample[]): number {
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length
  const [at, value] = [mean((sample) => sample.at), mean((sample) => sample.value)]
  let [over, under] = [0, 0]
  for (const sample of samples) {
    over += (sample.at - at) * (sample.value - value)
    under += (sample.at - at) ** 2
  }
  return (over / under) * HOUR_MS
}

/** The lowest sample of each span of time. */
export function lowest(samples: readonly Sample[], spanMs: number): Sample[] {
  const spans = Map.groupBy(samples, ({ at }) => Math.floor(at / spanMs))
  return [...spans.values()].map((span) => span.reduce((a, b) => (b.value < a.value ? b : a)))
}
