/** applogs in a control group that ends it when it takes more memory than that: many clients, most of which read nothing. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import type { PrivateRuntime } from "../runtime.ts"
import { isRunning, until } from "../sandbox.ts"
import { writer } from "../writer.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { count } from "./chance.ts"
import { describeReal, startRuntime, testWith } from "./runtime.ts"
import { grown } from "./shop.ts"

const MEGABYTE = 1024 * 1024
const LIMIT = 256 * MEGABYTE
/** As many streams as there may be, unless it is told otherwise. */
const CLIENTS = count({ full: 1_000, short: 100 })
const READING = 5
const WRITTEN = count({ full: 512, short: 24 }) * MEGABYTE

const group = makeGroup()
const title = `applogs with ${LIMIT / MEGABYTE} MB of memory`

describe.skipIf(group === undefined)(group ? title : `${title} [no control group here]`, () => {
  describeReal("and a container that writes 4 MB/s", () => {
    let real: PrivateRuntime
    let applogs: Applogs
    beforeAll(async () => {
      real = await startRuntime()
      const join = `echo $$ >${group}/cgroup.procs && exec "$@"`
      applogs = await startApplogs(real, { under: ["sh", "-c", join, "sh"] })
    })
    afterAll(async () => {
      await applogs?.[Symbol.asyncDispose]()
      await real?.[Symbol.asyncDispose]()
      if (group) await until(() => removed(group), { what: "the control group to be left" })
    })

    const what = `${CLIENTS} clients, of which ${READING} read ${WRITTEN / MEGABYTE} MB: it is not ended`
    testWith("little memory", what, async () => {
      const { pid } = applogs
      const command = writer({ name: "flood", rate: 1_000, padding: 4_000 })
      const id = await real.run({ name: "flood", command })
      await grown(real.logFile(id), MEGABYTE)
      const clients = Array.from({ length: CLIENTS }, visit)
      for (const client of clients.slice(0, READING)) client.resume()
      const streams = async () => (await applogs.metric("applogs_streams_open")) === CLIENTS
      await until(streams, { what: "the streams" })
      let most = 0
      for (let left = WRITTEN; left > 0; left -= MEGABYTE) {
        await grown(real.logFile(id), MEGABYTE)
        expect(isRunning(pid)).toBe(true)
        most = Math.max(most, applogs.usage().memory)
      }
      const { status } = await applogs.get("/api/apps/flood/logs?tail=10")
      for (const client of clients) client.destroy()
      const left = async () => (await applogs.metric("applogs_streams_open")) === 0
      await until(left, { what: "the streams to end" })
      console.log(`${CLIENTS} clients: ${(most / MEGABYTE).toFixed(0)} MB at most`)
      expect(status).toBe(200)
      expect(applogs.pid).toBe(pid)
    })

    /** Asks for a stream, and reads nothing of it unless it is told to. */
    function visit(): Socket {
      const socket = connect(applogs.address).pause()
      socket.on("error", () => {})
      const head = `Host: x\r\nAuthorization: Bearer ${applogs.key}\r\n\r\n`
      socket.write(`GET /api/apps/flood/logs/stream?tail=all HTTP/1.1\r\n${head}`)
      return socket
    }
  })
})

/** A control group with the limit, of either version; none where this user, or machine, has none. */
function makeGroup(): string | undefined {
  const name = `applogs-memory-${process.pid}`
  for (const [parent, file] of [
    ["/sys/fs/cgroup/memory", "memory.limit_in_bytes"],
    ["/sys/fs/cgroup", "memory.max"],
  ] as const) {
    const path = `${parent}/${name}`
    try {
      mkdirSync(path)
    } catch {
      continue
    }
    try {
      writeFileSync(`${path}/${file}`, `${LIMIT}`)
      if (Number(readFileSync(`${path}/${file}`, "utf8")) === LIMIT) return path
    } catch {
      // It does not limit memory.
    }
    removed(path)
  }
  return undefined
}

function removed(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
