/** What a client has received, held against what the engine stored: by numbers alone, so that it may be hours of lines. */
import type { Range, SequenceChecker, SequenceReport } from "../sequence.ts"

/** `unexplained` are lines of streams that nobody stored, and what no writer wrote. */
export const NO_FAULTS = { lost: 0, doubled: 0, reordered: 0, unexplained: 0 }

type Verdict = Readonly<typeof NO_FAULTS> & { readonly received: number }

/** What is missing in both was lost before it was stored. */
export function judge(client: SequenceChecker, stored: SequenceChecker): Verdict {
  const ours = new Map(client.report().map((report) => [keyOf(report), report]))
  let [lost, doubled, reordered, received] = [0, 0, 0, 0]
  let unexplained = client.malformed.length
  for (const truth of stored.report()) {
    const own = ours.get(keyOf(truth))
    ours.delete(keyOf(truth))
    if (!own) {
      lost += truth.received
      continue
    }
    const around = [
      { from: truth.first, to: own.first - 1 },
      { from: own.last + 1, to: truth.last },
    ]
    for (const range of [...own.lost, ...around]) lost += countMissing(range, truth.lost)
    doubled += own.doubled.length
    reordered += own.reordered.length
    received += own.received
  }
  for (const own of ours.values()) unexplained += own.received
  return { received, lost, doubled, reordered, unexplained }
}

/** Whether the client has come to the end of all that is stored. */
export function isAtEnd(client: SequenceChecker, stored: SequenceChecker): boolean {
  const lasts = new Map(client.report().map((report) => [keyOf(report), report.last]))
  return stored.report().every((report) => (lasts.get(keyOf(report)) ?? 0) >= report.last)
}

/** How many numbers of a range are in none of the others. */
function countMissing({ from, to }: Range, others: readonly Range[]): number {
  let count = Math.max(0, to - from + 1)
  for (const other of others) {
    count -= Math.max(0, Math.min(to, other.to) - Math.max(from, other.from) + 1)
  }
  return count
}

function keyOf({ container, stream }: SequenceReport): string {
  return `${container} ${stream}`
}
