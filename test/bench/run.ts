/**
 * Measures applogs beside the engine's own ways to the same log, on a private Docker Engine: `make bench`.
 * Takes some three minutes. `--lines=` and `--rounds=` make it shorter, and what it says less certain.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { startDocker } from "../real/docker.ts"
import { whyNoDocker } from "../real/machine.ts"
import { writer } from "../real/writer.ts"
import { contendersOf, fill } from "./contenders.ts"
import { median, spread, verdict, whole } from "./figures.ts"
import { measureLive } from "./live.ts"
import { describeMachine } from "./machine.ts"
import { measureMicro } from "./micro.ts"
import { residentMegabytes } from "./process.ts"
import { measureReplay } from "./replay.ts"
import { measureStarts, Service } from "./service.ts"

const STARTS = 10
const START_MS = 150
const LIVE = { rate: 1_000, lines: 10_000 }

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
  },
})
const [lines, rounds] = [Number(values.lines), Number(values.rounds)]

const reason = whyNoDocker()
if (reason !== undefined) {
  console.error(`make bench runs an engine of its own, and cannot: ${reason}`)
  process.exit(1)
}

await using docker = await startDocker()
console.log(`${await describeMachine(docker)}\n`)

const id = await docker.run({ name: "bench", command: fill(lines) })
await docker.exited(id, 300_000)

const starts = await measureStarts(docker.socket, STARTS)
console.log(`start to listening, ${STARTS} times: ${spread(starts, 0)} ms`)
console.log(`  under ${START_MS} ms ${verdict(median(starts) < START_MS)}\n`)

await using api = await Service.start(docker.socket, "api")
await using file = await Service.start(docker.socket, "file")
console.log(`at rest: ${residentMegabytes(file.pid).toFixed(0)} MB\n`)

const container = { id, name: "bench", lines }
const megabytes = (Bun.file(docker.logFile(id)).size / 1_000_000).toFixed(0)
console.log(`replay of ${whole(lines)} lines (${megabytes} MB json-file), ${rounds} rounds:`)
console.log(
  await measureReplay({
    contenders: contendersOf(docker, { api, file }, container),
    rounds,
    lines,
    daemon: Number(readFileSync(join(dirname(docker.socket), "docker.pid"), "utf8")),
  }),
)

console.log(`\nlive, a container that writes ${whole(LIVE.rate)} lines/s:`)
const command = writer({ name: "live", rate: LIVE.rate, streams: ["stdout"] })
const live = { name: "live", id: await docker.run({ name: "live", command }) }
for (const [source, { socket: serviceSocket }] of Object.entries({ api, file })) {
  console.log(`by ${source}:`)
  const { socket: dockerSocket } = docker
  console.log(
    await measureLive({ dockerSocket, serviceSocket, container: live, lines: LIVE.lines }),
  )
}
await docker.removeContainer(live.id)

console.log("\nthe inner loops, in this process:")
console.log(await measureMicro())
