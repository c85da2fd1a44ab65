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
  /** Process id. */
  readonly daemon: number
}

interface Round {
  readonly seconds: number
  readonly daemonCpu: number
  /** Of applogs. */
  readonly cpu: number
  readonly peak: number
}

interface Result {
  readonly contender: Contender
  readonly bytes: number
  readonly rounds: Round[]
}

/** What applogs has promised to take at most. */
const MEGABYTES = 150

/** Checks each contender once, then takes the time of each in each round. The report, to print. */
export async function measureReplay(options: ReplayOptions): Promise<string> {
  const { contenders, rounds, lines } = options
  const results: Result[] = []
  for (const contender of contenders) {
    results.push({ contender, bytes: await verify(contender, lines), rounds: [] })
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

async function measure({ run, service }: Contender, { daemon }: ReplayOptions): Promise<Round> {
  if (service) resetPeak(service.pid)
  const cpu = () => (service ? cpuSeconds(service.pid) : 0)
  const before = { daemon: cpuSeconds(daemon), service: cpu() }
  const begun = performance.now()
  await run()
  const seconds = (performance.now() - begun) / 1000
  return {
    seconds,
    daemonCpu: cpuSeconds(daemon) - before.daemon,
    cpu: cpu() - before.service,
    peak: service ? peakMegabytes(service.pid) : 0,
  }
}

function report(results: readonly Result[], lines: number): string {
  const [yardstick, known] = results.map(secondsOf)
  const rows = results.map((result) => {
    const { service, name } = result.contender
    const seconds = secondsOf(result)
    const peak = Math.max(...result.rounds.map((round) => round.peak))
    return [
      name,
      spread(
        result.rounds.map((round) => round.seconds),
        2,
      ),
      whole(lines / seconds),
      (result.bytes / 1_000_000 / seconds).toFixed(0),
      ((yardstick ?? Number.NaN) / seconds).toFixed(2),
      ((known ?? Number.NaN) / seconds).toFixed(2),
      median(result.rounds.map((round) => round.daemonCpu)).toFixed(2),
      service ? median(result.rounds.map((round) => round.cpu)).toFixed(2) : "",
      service ? peak.toFixed(0) : "",
    ]
  })
  const head = ["", "seconds", "lines/s", "MB/s", "× curl", "× docker logs"]
  const costs = ["dockerd CPU s", "applogs CPU s", "applogs peak MB"]
  const goals = results.flatMap((result) => {
    const { name, service } = result.contender
    if (!service) return []
    const { goal } = service
    const share = (yardstick ?? Number.NaN) / secondsOf(result)
    const ratio = (known ?? Number.NaN) / secondsOf(result)
    const peak = Math.max(...result.rounds.map((round) => round.peak))
    return [
      `  ${name}: ${goal.curl} of curl's speed ${verdict(share >= goal.curl)}`,
      `${goal.dockerLogs} of docker logs -t's ${verdict(ratio >= goal.dockerLogs)}`,
      `under ${MEGABYTES} MB ${verdict(peak < MEGABYTES)}`,
    ].join(", ")
  })
  return [table([[...head, ...costs], ...rows]), ...goals].join("\n")
}

function secondsOf({ rounds }: Result): number {
  return median(rounds.map(({ seconds }) => seconds))
}
