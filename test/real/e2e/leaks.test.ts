/** Clients that come and go at any moment leave nothing behind: no connection, no file, no memory, no count. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { connect } from "node:net"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { Chance, count } from "./chance.ts"
import type { Usage } from "./proc.ts"
import { describeReal, idleConnections, startRuntime } from "./runtime.ts"
import { grown, Shop } from "./shop.ts"

const VISITS = count({ full: 5_000, short: 1_000 })
/** What the heap has grown to before is its base: the first visits are not counted. */
const WARM_UP = 500
/** Clients at once. */
const CLIENTS = 8
/** Resident memory moves by so much without a leak: the heap is cleaned when it pleases. */
const MEMORY_BOUND = 40 * 1024 * 1024
/** Bun's pool starts threads when it has much to do, and ends idle ones. */
const POOL_THREADS = 8

const PATHS = [
  "/logs?tail=100",
  "/logs?tail=1000&format=json",
  "/logs?tail=all",
  "/logs?tail=all&format=ndjson&includeNeeds=false",
  "/logs?since=1s&tail=10000",
  "/logs/stream",
  "/logs/stream?tail=100&includeNeeds=true",
  "/logs/stream?tail=all&includeNeeds=true",
  "/logs/stream?since=10s",
  "/logs/stream?since=1s&format=ndjson",
  "/logs/stream?service=web&grep=no-such-text",
] as const

describeReal("clients that come and go", () => {
  let real: PrivateRuntime
  let applogs: Applogs
  let shop: Shop
  beforeAll(async () => {
    real = await startRuntime()
    shop = new Shop(real, "visited")
    await shop.open({ load: 0.1 })
    applogs = await startApplogs(real)
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  test(`${VISITS} connects and disconnects at random moments`, async () => {
    const chance = new Chance()
    const fresh = await settle()
    await visitMany(WARM_UP, chance)
    const before = await settle()
    const ends = await visitMany(VISITS, chance)
    const after = await settle(before.memory + MEMORY_BOUND)
    const counts = [...ends].map(([how, times]) => `${times} ${how}`).join(", ")
    console.log(
      `${VISITS} visits (${counts}), seed ${chance.seed}\n` +
        `  fresh: ${describeUsage(fresh)}\n` +
        `  after ${WARM_UP}: ${describeUsage(before)}\n` +
        `  after ${VISITS} more: ${describeUsage(after)}`,
    )
    expect(after.files.length).toBeLessThanOrEqual(before.files.length + idleConnections.most)
    expect(after.threads).toBeLessThanOrEqual(before.threads + POOL_THREADS)
  })

  /** Waits until nothing but what is always there is open, and no more memory is used. */
  async function settle(memoryBound = Number.POSITIVE_INFINITY): Promise<Usage> {
    let usage = applogs.usage()
    const quiet = async () => {
      usage = applogs.usage()
      const { engineConnections, files, memory } = usage
      const isQuiet =
        (await applogs.metric("applogs_streams_open")) === 0 &&
        engineConnections >= idleConnections.least &&
        engineConnections <= idleConnections.most &&
        // Two listeners. A snapshot that nobody waits for is read on for a moment.
        files.filter((file) => file.startsWith("socket:")).length === 2 + engineConnections &&
        !files.some((file) => file.startsWith("/"))
      return isQuiet && memory <= memoryBound && usage
    }
    return await until(quiet, { what: "applogs to be quiet" }).catch((cause: unknown) => {
      throw new Error(`${describeUsage(usage)}: ${usage.files.join(", ")}`, { cause })
    })
  }

  async function visitMany(visits: number, chance: Chance): Promise<Map<string, number>> {
    const ends = new Map<string, number>()
    let left = visits
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (left-- > 0) {
          const end = await visit(chance)
          ends.set(end, (ends.get(end) ?? 0) + 1)
        }
      }),
    )
    return ends
  }

  /** Comes, and leaves at some moment; how it left. */
  async function visit(chance: Chance): Promise<string> {
    const path = `/api/apps/visited${chance.pick(PATHS)}`
    const address = chance.pick([applogs.address, { path: applogs.localSocket }])
    const head = `Host: x\r\nAuthorization: Bearer ${applogs.key}\r\n\r\n`
    const request = `GET ${path} HTTP/1.1\r\n${head}`
    const socket = connect(address)
    let bytes = 0
    socket.on("data", (chunk: Buffer) => (bytes += chunk.length))
    socket.on("error", () => {})
    // One in ten does not even say what it wants.
    const said =
      chance.between(1, 10) === 1 ? chance.between(0, request.length - 1) : request.length
    socket.write(request.slice(0, said))
    // Some runtimes take longer to answer than most clients stay: every other one waits for it.
    if (said === request.length && chance.between(1, 2) === 1) {
      await until(() => bytes > 0, { what: `an answer to ${path}` })
    }
    await moment(chance)
    socket.destroy()
    if (said < request.length) return "inside the request"
    return bytes === 0 ? "before the answer" : bytes < 5_000 ? "at its beginning" : "later"
  }

  /** At once, a few turns of the event loop later, or when the containers have written some more. */
  async function moment(chance: Chance): Promise<void> {
    const turns = chance.pick([0, chance.spread(1, 1_000)])
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    const bytes = chance.pick([0, chance.spread(100, 20_000)])
    if (bytes > 0) await grown(real.logFile(shop.id("web")), bytes)
  }
})

function describeUsage({ memory, threads, files, engineConnections }: Usage): string {
  const megabytes = (memory / 2 ** 20).toFixed(0)
  return `${megabytes} MB, ${files.length} files, ${threads} threads, ${engineConnections} to the engine`
}
