/** How a figure moves over a long run. */

export interface Sample {
  /** In milliseconds, from any beginning. */
  readonly at: number
  readonly value: number
}

const HOUR_MS = 3_600_000

/**
 * By how much the figure grows in an hour: the slope of the line with the least squares, and how far the noise lets one
 * trust it (its standard error).
 */
export function slopePerHour(samples: readonly Sample[]): { slope: number; error: number } {
  const sum = (pick: (sample: Sample) => number) =>
    samples.reduce((total, sample) => total + pick(sample), 0)
  const [at, value] = [(sample: Sample) => sample.at / HOUR_MS, (sample: Sample) => sample.value]
  const count = samples.length
  const middle = { at: sum(at) / count, value: sum(value) / count }
  const width = sum((sample) => (at(sample) - middle.at) ** 2)
  const slope = sum((sample) => (at(sample) - middle.at) * (value(sample) - middle.value)) / width
  const onLine = (sample: Sample) => middle.value + slope * (at(sample) - middle.at)
  const noise = sum((sample) => (value(sample) - onLine(sample)) ** 2)
  return { slope, error: Math.sqrt(noise / (count - 2) / width) }
}

/** The lowest sample of each span of time. */
export function lowest(samples: readonly Sample[], spanMs: number): Sample[] {
  return spansOf(samples, spanMs).map((span) => span.reduce((a, b) => (b.value < a.value ? b : a)))
}

/** The mean of the samples of each span of time. */
export function means(samples: readonly Sample[], spanMs: number): Sample[] {
  return spansOf(samples, spanMs).map((span) => {
    const mean = (pick: (sample: Sample) => number) =>
      span.reduce((sum, sample) => sum + pick(sample), 0) / span.length
    return { at: mean(({ at }) => at), value: mean(({ value }) => value) }
  })
}

function spansOf(samples: readonly Sample[], spanMs: number): Sample[][] {
  return [...Map.groupBy(samples, ({ at }) => Math.floor(at / spanMs)).values()]
}
