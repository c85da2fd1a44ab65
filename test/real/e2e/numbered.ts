/**
 * Holds a stream that may have gaps against the numbers that its writers gave their lines: where a log is overwritten
 * so quickly that nobody can tell any more what was stored.
 */
import type { StoredLine } from "../stored.ts"
import { WRITTEN_LINE } from "../writer.ts"
import type { Follower, Received, Told } from "./follower.ts"
import type { Entry, Ledger } from "./ledger.ts"
import type { Truth } from "./shop.ts"

type Stream = Pick<Follower, "lines" | "gaps">

/**
 * From the first line that came to the last one stored: nothing comes twice or out of order, and what is missing is
 * missing behind a gap. `ends` is what is stored at the end. Each service has one container, as gaps name no other.
 * Podman overwrites a log also in the middle of a line: where a log begins, the first line may lack its head.
 */
export function checkNumbered(
  ledger: Ledger,
  what: string,
  { lines, gaps }: Stream,
  ends: Truth,
): void {
  for (const [container, stored] of ends) {
    const ours = lines.filter((line) => line.container === container)
    const places = gapsOf(ours[0]?.service, { lines, gaps }).map(({ place }) => place)
    for (const stream of ["stdout", "stderr"] as const) {
      const title = `${what} ${container} ${stream}`
      const isIts = (line: Entry) => line.stream === stream
      const isWhole = (line: Entry) => isIts(line) && isWritten(line.message)
      const begins = new Set(
        [0, ...places].map((place) => ours.slice(0, place).filter(isIts).length),
      )
      const pieces = ours.filter(isIts).filter((line, at) => !isWhole(line) && !begins.has(at))
      ledger.check(title, pieces, [], { from: 0, to: 0 })
      const before = places.map((place) => ours.slice(0, place).filter(isWhole).length)
      const whole = ours.filter(isWhole)
      const truth = supposed(whole, stored.filter(isWhole))
      ledger.check(title, whole, truth, { from: 0, to: truth.length }, before)
    }
  }
}

/**
 * Which gaps have bounds that are not right, in words: `from` is the latest time that had come before, `to` that of the
 * line behind it. Where a runtime cuts lines, `from` is the time at which none was half read: there may be so many
 * bytes of lines behind it that had come.
 */
export function wrongBounds(stream: Stream, halfReadBytes = 0): string[] {
  const wrong: string[] = []
  for (const [service, lines] of Map.groupBy(stream.lines, (line) => line.service)) {
    const gaps = gapsOf(service, stream)
    let latest = ""
    let seen = 0
    for (const [index, { place, data }] of gaps.entries()) {
      for (; seen < place; seen++) {
        const { timestamp } = lines[seen] as Received
        if (timestamp > latest) latest = timestamp
      }
      // A client that was cut behind a gap comes back for it, and by then it may have grown.
      const isLast = gaps[index + 1]?.place !== place
      const next = lines[place]?.timestamp
      const isFrom =
        data["from"] === latest || bytesBehind(lines.slice(0, place), data["from"]) <= halfReadBytes
      // It may be told before the line behind it is written: then what is missing bears one time, or nobody knows.
      const isTo = [next, data["from"], null].includes(data["to"])
      const isRight = (latest === "" || isFrom) && (!isLast || isTo)
      if (!isRight) wrong.push(`${service}: ${JSON.stringify(data)} between ${latest} and ${next}`)
    }
  }
  return wrong
}

/** What came behind the last line of that time; infinite where there is none. */
function bytesBehind(lines: readonly Received[], time: unknown): number {
  const at = lines.findLastIndex(({ timestamp }) => timestamp === time)
  if (at < 0) return Number.POSITIVE_INFINITY
  return lines.slice(at + 1).reduce((sum, { message }) => sum + message.length + 1, 0)
}

/** The gaps of a service, each with the number of its lines that came before. */
function gapsOf(
  service: string | undefined,
  { lines, gaps }: Stream,
): readonly (Told & { readonly place: number })[] {
  let [seen, place] = [0, 0]
  return gaps
    .filter(({ data }) => data["service"] === service || data["service"] === null)
    .map((gap) => {
      for (; seen < gap.at; seen++) if (lines[seen]?.service === service) place++
      return { ...gap, place }
    })
}

/** One stream of a container from the first line that came to the last one stored, with a stand-in for what is neither. */
function supposed(received: readonly Received[], stored: readonly StoredLine[]): StoredLine[] {
  const known = new Map<number, StoredLine>()
  for (const line of [...received, ...stored]) {
    const { timestamp, message } = line
    known.set(numberOf(message), {
      stream: line.stream as StoredLine["stream"],
      timestamp,
      message,
    })
  }
  // Of a log that was overwritten just before the end, nothing may be stored.
  const firsts = [received[0], stored[0]].filter((line) => line !== undefined)
  const end = stored.at(-1) ?? received.at(-1)
  if (!end) return []
  const first = Math.min(...firsts.map(({ message }) => numberOf(message)))
  const last = numberOf(end.message)
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index
    return known.get(number) ?? { stream: "stdout", timestamp: "", message: `number ${number}` }
  })
}

/** Whether it is a whole line of the writer. */
export const isWritten = (message: string): boolean => WRITTEN_LINE.test(message)

/** Of a line of the writer. */
export function numberOf(message: string): number {
  const number = WRITTEN_LINE.exec(message)?.[3]
  if (number === undefined) throw new Error(`no line of the writer: ${message.slice(0, 200)}`)
  return Number(number)
}
