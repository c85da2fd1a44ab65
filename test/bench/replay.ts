/** Reads one log to its end in every way there is, turn by turn, so that what slows the machine slows all. */
import { type Contender, MARK } from "./contenders.ts"
import { median, spread, table, verdict, whole } from "./figures.ts"
import { cpuSeconds, peakMegabytes, resetPeak } from "./process.ts"

export interface ReplayOptions {
  /** Those that are not ours come first: each is a yardstick for the others. */
  readonly contenders: readonly Contender[]
  readonly rounds: number
  /** What the log holds. */
  readonly lines: number
  /** Process id of the runtime's daemon, where there is one that serves logs. */
  readonly daemon?: number
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

/**
 * Of ours, every line once and in order, and no other; of the others, which may put a time into the middle of a line,
 * nothing but the order. How many bytes that takes.
 */
async function verify({ name, run, service }: Contender, lines: number): Promise<number> {
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
      const number = Number(match[1])
      if (service ? number !== seen + 1 : number <= seen) {
        throw new Error(`${name}: line ${number} came behind ${seen}`)
      }
      seen = number
    }
    // Long enough for a mark that is cut off, and nothing of one that was seen.
    rest = text.slice(Math.max(end, text.length - 32))
  })
  if (seen !== lines) throw new Error(`${name}: it ended with line ${seen} of ${lines}`)
  return bytes
}

async function measure({ run, service }: Contender, { daemon }: ReplayOptions): Promise<Round> {
  if (service) resetPeak(service.pid)
  const cpu = () => (service ? cpuSeconds(service.pid) : 0)
  const daemonCpu = () => (daemon === undefined ? 0 : cpuSeconds(daemon))
  const before = { daemon: daemonCpu(), service: cpu() }
  const begun = performance.now()
  await run()
  const seconds = (performance.now() - begun) / 1000
  return {
    seconds,
    daemonCpu: daemonCpu() - before.daemon,
    cpu: cpu() - before.service,
    peak: service ? peakMegabytes(service.pid) : 0,
  }
}

function report(results: readonly Result[], lines: number): string {
  const yardsticks = results.filter(({ contender }) => !contender.service)
  const rows = results.map((result) => {
    const { name, service } = result.contender
    const seconds = secondsOf(result)
    const all = result.rounds.map((round) => round.seconds)
    return [
      name,
      spread(all, 2),
      whole(lines / seconds),
      (result.bytes / 1_000_000 / seconds).toFixed(0),
      ...yardsticks.map((yardstick) => (secondsOf(yardstick) / seconds).toFixed(2)),
      median(result.rounds.map((round) => round.daemonCpu)).toFixed(2),
      service ? median(result.rounds.map((round) => round.cpu)).toFixed(2) : "",
      service ? peakOf(result).toFixed(0) : "",
    ]
  })
  const head = ["", "seconds", "lines/s", "MB/s"]
  const times = yardsticks.map(({ contender }) => `× ${contender.name}`)
  const costs = ["daemon CPU s", "applogs CPU s", "applogs peak MB"]
  const goals = results.flatMap((result) => {
    const { name, service } = result.contender
    if (!service) return []
    const met = service.goals.map(({ than, times: wanted }) => {
      const peer = yardsticks.find(({ contender }) => contender.name === than)
      const ratio = peer ? secondsOf(peer) / secondsOf(result) : Number.NaN
      return `${wanted} times ${than} ${verdict(ratio >= wanted)}`
    })
    const memory = `under ${MEGABYTES} MB ${verdict(peakOf(result) < MEGABYTES)}`
    return [`  ${name}: ${[...met, memory].join(", ")}`]
  })
  return [table([[...head, ...times, ...costs], ...rows]), ...goals].join("\n")
}

function peakOf({ rounds }: Result): number {
  return Math.max(...rounds.map((round) => round.peak))
}

function secondsOf({ rounds }: Result): number {
  return median(rounds.map(({ seconds }) => seconds))
}
