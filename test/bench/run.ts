/**
 * Measures applogs beside the runtimes' own ways to the same logs, on private runtimes: `make bench`. Takes
 * some twenty minutes. `--only=idle,crowd` runs some of the sections alone. The numbers (`--lines=`, `--rounds=`,
 * `--idle=` and `--crowd=` clients, `--seconds=` of the crowd, `--stopped=` seconds) make it shorter, and what it says
 * less certain.
 */
import { parseArgs } from "node:util"
import { startDocker } from "../real/docker.ts"
import { whyNoDocker, whyNoNerdctl, whyNoPodman } from "../real/machine.ts"
import { startNerdctl } from "../real/nerdctl.ts"
import { startPodman } from "../real/podman.ts"
import type { PrivateRuntime } from "../real/runtime.ts"
import { writer } from "../real/writer.ts"
import { besideReaders } from "./beside.ts"
import { engineApi, fileAlone, fill, ours, runtimesOwn, type Target } from "./contenders.ts"
import { measureEngineLoad } from "./engine-load.ts"
import { median, spread, verdict, whole } from "./figures.ts"
import { type FanOutOptions, reportCrowd, reportIdle, reportStopped } from "./fan-out.ts"
import { measureKeys } from "./keys.ts"
import { measureLive } from "./live.ts"
import { describeMachine } from "./machine.ts"
import { measureMicro } from "./micro.ts"
import { daemonOf, residentMegabytes } from "./process.ts"
import { measureReplay } from "./replay.ts"
import { measureStarts, Service } from "./service.ts"
import { measureTail } from "./tail.ts"

const STARTS = 10
const START_MS = 150
const LIVE = { rate: 1_000, lines: 10_000 }
/** Clients whose replay must not hold up another's live lines. */
const REPLAYERS = 2

/** The yardstick of all who read log files. */
const FILE = "the file alone"

/** Of a log of 1 GB, beside one of a million. */
const LARGE = 6

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
    idle: { type: "string", default: "10000" },
    crowd: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
    stopped: { type: "string", default: "60" },
    only: { type: "string" },
  },
})
const [lines, rounds] = [Number(values.lines), Number(values.rounds)]

const fanOut: FanOutOptions = {
  idle: Number(values.idle),
  crowd: Number(values.crowd),
  seconds: Number(values.seconds),
  stopped: Number(values.stopped),
}

/** In the order in which they run. */
const SECTIONS: Readonly<Record<string, () => Promise<void>>> = {
  docker: measureDocker,
  podman: () => measureOther("podman", 8, whyNoPodman, startPodman),
  nerdctl: () => measureOther("nerdctl", 4, whyNoNerdctl, startNerdctl),
  idle: () => reportIdle(fanOut),
  crowd: () => reportCrowd(fanOut),
  stopped: () => reportStopped(fanOut),
  micro: async () => {
    console.log("\nthe inner loops, in this process:")
    console.log(await measureMicro())
    console.log(`\n${measureKeys()}`)
  },
}

const wanted = values.only?.split(",") ?? Object.keys(SECTIONS)
for (const name of wanted) {
  if (Object.hasOwn(SECTIONS, name)) continue
  console.error(`--only=${name}: there are ${Object.keys(SECTIONS).join(", ")}`)
  process.exit(2)
}

const reason = whyNoDocker()
if (reason !== undefined) {
  console.error(`make bench runs an engine of its own, and cannot: ${reason}`)
  process.exit(1)
}

for (const [name, measure] of Object.entries(SECTIONS)) {
  if (wanted.includes(name)) await measure()
}

async function measureDocker(): Promise<void> {
  await using docker = await startDocker()
  console.log(`${await describeMachine(docker)}\n`)
  const target = await fillLog(docker, "bench", lines)

  const starts = await measureStarts(docker, STARTS)
  console.log(`start to listening, ${STARTS} times: ${spread(starts, 0)} ms`)
  console.log(`  under ${START_MS} ms ${verdict(median(starts) < START_MS)}\n`)

  await using api = await Service.start(docker, "api")
  await using file = await Service.start(docker, "file")
  console.log(`at rest: ${residentMegabytes(file.pid).toFixed(0)} MB\n`)

  const daemon = daemonOf(docker)
  const [curl, known] = ["curl", "docker logs -t"]
  console.log(title(docker, target))
  console.log(
    await measureReplay({
      contenders: [
        engineApi(curl, docker.socket, target),
        runtimesOwn(known, docker, target),
        fileAlone(FILE, docker, target),
        ...ours(
          "api",
          api,
          [
            { than: curl, times: 0.85 },
            { than: known, times: 1 },
          ],
          target,
        ),
        ...ours("file", file, [{ than: known, times: 8 }], target),
      ],
      rounds,
      lines,
      daemon,
    }),
  )

  const large = await fillLog(docker, "large", LARGE * lines)
  console.log(`\nthe last 100 lines of ${size(docker, large)}:`)
  console.log(await measureTail({ api, file }, large.name))

  console.log(`\nlive, a container that writes ${whole(LIVE.rate)} lines/s:`)
  const command = writer({ name: "live", rate: LIVE.rate, streams: ["stdout"] })
  const container = { name: "live", id: await docker.run({ name: "live", command }) }
  const { socket: dockerSocket } = docker
  for (const [source, { socket: serviceSocket }] of Object.entries({ api, file })) {
    const live = { dockerSocket, serviceSocket, container, lines: LIVE.lines }
    console.log(`by ${source}:`)
    console.log(await measureLive(live))
    console.log(`by ${source}, while ${REPLAYERS} other clients replay the large log:`)
    const path = `/api/apps/${large.name}/logs/stream?tail=all`
    const bytes = await besideReaders(serviceSocket, path, REPLAYERS, async () =>
      console.log(await measureLive(live)),
    )
    console.log(`  who received ${whole(bytes / 1e6)} MB meanwhile`)
  }
  console.log("\nthe engine's share of a processor, while that container writes:")
  console.log(await measureEngineLoad({ app: container.name, daemon, services: { file, api } }))
}

/** Beside the runtime's own way, which applogs has promised to be so many times as fast as. */
async function measureOther(
  name: string,
  times: number,
  whyNot: () => string | undefined,
  start: () => Promise<PrivateRuntime>,
): Promise<void> {
  const obstacle = whyNot()
  if (obstacle !== undefined) return console.log(`\n${name} is not measured: ${obstacle}`)
  await using runtime = await start()
  const target = await fillLog(runtime, "bench", lines)
  await using file = await Service.start(runtime, "file")
  const known = `${name} logs -t`
  console.log(`\n${title(runtime, target)}`)
  const contenders = [
    runtimesOwn(known, runtime, target),
    fileAlone(FILE, runtime, target),
    ...ours("file", file, [{ than: known, times }], target),
  ]
  console.log(await measureReplay({ contenders, rounds, lines }))
}

async function fillLog(runtime: PrivateRuntime, name: string, count: number): Promise<Target> {
  // nerdctl's default is less than the log, and its own way reads one file alone.
  const logOptions = { "max-size": "10g" }
  const id = await runtime.run({ name, command: fill(count), logOptions })
  await runtime.exited(id, 600_000)
  return { id, name, lines: count }
}

function title(runtime: PrivateRuntime, target: Target): string {
  const { "--runtime": name } = runtime.flags as { readonly "--runtime"?: string }
  return `${name}: replay of ${size(runtime, target)}, ${rounds} rounds:`
}

function size(runtime: PrivateRuntime, { id, lines: count }: Target): string {
  const megabytes = (Bun.file(runtime.logFile(id)).size / 1_000_000).toFixed(0)
  return `${whole(count)} lines (${megabytes} MB)`
}
