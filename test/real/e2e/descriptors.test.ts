/** More clients than applogs may have files open: it lives through that, and serves again when they leave. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { describeReal, startRuntime } from "./runtime.ts"
import { Shop } from "./shop.ts"

const LIMIT = 128
const CLIENTS = 500
/** Kernel ticks that make a second of a process's time: 100 on every Linux that Bun runs on. */
const TICKS = 100
/** How long the clients stay, measured by what the engine stores in the meantime. */
const STAY_LINES = 100

describeReal(`applogs with at most ${LIMIT} open files`, () => {
  let real: PrivateRuntime
  let applogs: Applogs
  let shop: Shop
  beforeAll(async () => {
    real = await startRuntime()
    shop = new Shop(real, "clock")
    await shop.open({ load: 0.01 })
    const command = ["/bin/sh", "-c", "trap exit TERM; sleep 600 & wait"]
    await real.run({ name: "quiet", command })
    applogs = await startApplogs(real, { under: ["prlimit", `--nofile=${LIMIT}`] })
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  test(`${CLIENTS} clients at once: it does not end, and serves when they have left`, async () => {
    const { pid } = applogs
    const idle = applogs.usage().files.length
    const clients = Array.from({ length: CLIENTS }, visit)
    const stored = () => real.storedEnds(shop.id("web"))
    const [lines, began, used] = [stored(), performance.now(), ticks(pid)]
    await until(() => stored() >= lines + STAY_LINES, { what: `${STAY_LINES} lines` })
    const busy = (ticks(pid) - used) / TICKS / ((performance.now() - began) / 1_000)
    const answered = clients.filter(({ bytesRead }) => bytesRead > 0).length
    for (const client of clients) client.destroy()

    await applogs.ready()
    const status = (await applogs.get("/api/apps/clock/logs?tail=10")).status
    const left = async () => (await applogs.metric("applogs_streams_open")) === 0
    await until(left, { what: "the streams to end" })
    await until(() => applogs.usage().files.length <= idle + 16, { what: "the files to be closed" })
    const part = `${(100 * busy).toFixed(0)} % of a processor`
    console.log(`${answered} of ${CLIENTS} clients answered, ${part}; then ${status} again`)
    expect(applogs.pid).toBe(pid)
    expect(status).toBe(200)
    expect(answered).toBe(CLIENTS)
    expect(busy).toBeLessThan(0.5)
    expect(applogs.log()).not.toContain("level=error")
  })

  /** Asks for a stream and stays. */
  function visit(): Socket {
    const socket = connect(applogs.address)
    const head = `Host: x\r\nAuthorization: Bearer ${applogs.key}\r\n\r\n`
    socket.on("error", () => {})
    socket.write(`GET /api/apps/quiet/logs/stream HTTP/1.1\r\n${head}`)
    socket.resume()
    return socket
  }
})

/** The processor time that a process has used so far. */
function ticks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // From the third field on: the second one, a name in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return Number(fields[11]) + Number(fields[12])
}
