/** Reads one log to its end in every way there is, turn by turn, so that what slows the machine slows all. */
import { type Contender, MARK } from "./contenders.ts"
import { median, spread, table, verdict, whole } from "./figures.ts"
import { cpuSeconds, peakMegabytes, resetPeak } from "./process.ts"

export interface ReplayOptions {
  /** The first is the yardstick, the second the one that people know. */
  readonly contenders: readonly Contender[]
  readonly rounds: number
  /** What the log holds. */
  readonly lines: number
  /** Process ids. */
  readonly daemon: number
  readonly service: number
}

interface Round {
  readonly seconds: number
  readonly daemonCpu: number
  readonly serviceCpu: number
  readonly peak: number
}

interface Result {
  readonly name: string
  readonly bytes: number
  readonly rounds: Round[]
}

/** A share of the yardstick's speed, and a size in MB: what applogs has promised. */
const TARGETS = { share: 0.85, megabytes: 150 }

/** Checks each contender once, then takes the time of each in each round. The report, to print. */
export async function measureReplay(options: ReplayOptions): Promise<string> {
  const { contenders, rounds, lines } = options
  const results: Result[] = []
  for (const contender of contenders) {
    results.push({ name: contender.name, bytes: await verify(contender, lines), rounds: [] })
  }
  for (let round = 0; round < rounds; round++) {
    // Each begins a round in its turn: nobody always runs behind the same one.
    for (let turn = 0; turn < contenders.length; turn++) {
      const at = (round + turn) % contenders.length
      results[at]?.rounds.push(await measure(contenders[at] as Contender, options))
    }
  }
  return report(results, lines)
}

/** Every line once and in order, and no other; how many bytes that takes. */
async function verify({ name, run }: Contender, lines: number): Promise<number> {
  let bytes = 0
  let seen = 0
  let rest = ""
  const latin1 = new TextDecoder("latin1")
  await run((chunk) => {
    bytes += chunk.byteLength
    const text = rest + latin1.decode(chunk)
    let end = 0
    for (const match of text.matchAll(MARK)) {
      end = match.index + match[0].length
      seen++
      if (Number(match[1]) !== seen) {
        throw new Error(`${name}: line ${match[1]} came where ${seen} was due`)
      }
    }
    // Long enough for a mark that is cut off, and nothing of one that was seen.
    rest = text.slice(Math.max(end, text.length - 32))
  })
  if (seen !== lines) throw new Error(`${name}: ${seen} lines came, and ${lines} were due`)
  return bytes
}

async function measure({ run }: Contender, { daemon, service }: ReplayOptions): Promise<Round> {
  resetPeak(service)
  const before = { daemon: cpuSeconds(daemon), service: cpuSeconds(service) }
  const begun = performance.now()
  await run()
  const seconds = (performance.now() - begun) / 1000
  return {
    seconds,
    daemonCpu: cpuSeconds(daemon) - before.daemon,
    serviceCpu: cpuSeconds(service) - before.service,
    peak: peakMegabytes(service),
  }
}

function report(results: readonly Result[], lines: number): string {
  const [yardstick, known] = results.map(secondsOf)
  const rows = results.map((result) => {
    const ours = isOurs(result)
    const seconds = secondsOf(result)
    const peak = Math.max(...result.rounds.map((round) => round.peak))
    return [
      result.name,
      spread(
        result.rounds.map((round) => round.seconds),
        2,
      ),
      whole(lines / seconds),
      (result.bytes / 1_000_000 / seconds).toFixed(0),
      ((yardstick ?? Number.NaN) / seconds).toFixed(2),
      ((known ?? Number.NaN) / seconds).toFixed(2),
      median(result.rounds.map((round) => round.daemonCpu)).toFixed(2),
      ours ? median(result.rounds.map((round) => round.serviceCpu)).toFixed(2) : "",
      ours ? peak.toFixed(0) : "",
    ]
  })
  const head = ["", "seconds", "lines/s", "MB/s", "× curl", "× docker logs"]
  const costs = ["dockerd CPU s", "applogs CPU s", "applogs peak MB"]
  const targets = results.filter(isOurs).map((result) => {
    const share = (yardstick ?? Number.NaN) / secondsOf(result)
    const peak = Math.max(...result.rounds.map((round) => round.peak))
    return [
      `  ${result.name}: at least ${TARGETS.share} of curl's speed ${verdict(share >= TARGETS.share)}`,
      `faster than docker logs -t ${verdict(secondsOf(result) < (known ?? 0))}`,
      `under ${TARGETS.megabytes} MB ${verdict(peak < TARGETS.megabytes)}`,
    ].join(", ")
  })
  return [table([[...head, ...costs], ...rows]), ...targets].join("\n")
}

function isOurs({ name }: Result): boolean {
  return name.startsWith("applogs")
}

function secondsOf({ rounds }: Result): number {
  return median(rounds.map(({ seconds }) => seconds))
}
