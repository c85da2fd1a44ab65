/**
 * The logs of several containers as one, by time. Within a container the order is the runtime's: a line
 * whose clock stepped back waits for its turn, and is not put before what was written earlier.
 */
import type { Line } from "../runtime.ts"
import { entriesOf, lengthOf, Packed, type Some } from "./some.ts"

/** What is merged: an entry, or a line and whose it is. */
interface Timed {
  readonly line?: Line
}

interface Lane<Entry> {
  readonly source: AsyncIterator<Some<Entry>>
  some: Some<Entry>
  at: number
}

/** Reads a batch ahead of each source, and no more. Equal times keep the order of the sources. */
export async function* mergeByTime<Entry extends Timed>(
  sources: readonly AsyncIterable<Some<Entry>>[],
): AsyncGenerator<Some<Entry>, void> {
  let lanes: Lane<Entry>[] = sources.map((source) => ({
    source: source[Symbol.asyncIterator](),
    some: [],
    at: 0,
  }))
  const all = lanes
  try {
    for (;;) {
      await Promise.all(lanes.map(fill))
      lanes = lanes.filter((lane) => lane.at < lengthOf(lane.some))
      if (lanes.length === 0) return
      yield takeOrdered(lanes)
    }
  } finally {
    await Promise.all(all.map((lane) => lane.source.return?.()))
  }
}

async function fill<Entry>(lane: Lane<Entry>): Promise<void> {
  while (lane.at >= lengthOf(lane.some)) {
    const next = await lane.source.next()
    if (next.done) return
    lane.some = next.value
    lane.at = 0
  }
}

/**
 * Takes in order until a lane is empty, as only its source knows what comes next. A block of which all lines are earlier
 * than any other lane's is left as it is.
 */
function takeOrdered<Entry extends Timed>(lanes: readonly Lane<Entry>[]): Some<Entry> {
  const [only] = lanes
  if (lanes.length === 1 && only) {
    const rest = only.at === 0 ? only.some : entriesOf(only.some).slice(only.at)
    only.at = lengthOf(only.some)
    return rest
  }
  const out: Entry[] = []
  for (;;) {
    let first = lanes[0] as Lane<Entry>
    let earliest = timeOf(first)
    let second = ""
    for (let index = 1; index < lanes.length; index++) {
      const lane = lanes[index] as Lane<Entry>
      const time = timeOf(lane)
      if (time < earliest) {
        second = earliest
        earliest = time
        first = lane
      } else if (second === "" || time < second) second = time
    }
    const { some } = first
    if (some instanceof Packed && first.at === 0 && some.block.latest < second) {
      if (out.length > 0) return out
      first.at = some.block.length
      return some
    }
    // A run of one container's lines is taken without looking at the others again.
    do {
      const entries = entriesOf(first.some)
      out.push(entries[first.at++] as Entry)
      if (first.at === entries.length) return out
    } while (timeOf(first) < second)
  }
}

/** An entry without a line stands where the one before it stood: it is taken at once. */
function timeOf({ some, at }: Lane<Timed>): string {
  // To look into a block would unpack it.
  if (at === 0 && some instanceof Packed) return some.block.first
  return entriesOf(some)[at]?.line?.timestamp ?? ""
}
