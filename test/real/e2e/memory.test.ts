/** applogs in a control group that ends it when it takes more memory than that: many clients, most of which read nothing. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { connect, type Socket } from "node:net"
import { ControlGroup } from "../control-group.ts"
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

const isPossible = ControlGroup.isPossible()
const title = `applogs with ${LIMIT / MEGABYTE} MB of memory`

describe.skipIf(!isPossible)(isPossible ? title : `${title} [no control group here]`, () => {
  describeReal("and a container that writes 4 MB/s", () => {
    let real: PrivateRuntime
    let applogs: Applogs
    let group: ControlGroup
    beforeAll(async () => {
      group = ControlGroup.make(LIMIT)
      real = await startRuntime()
      applogs = await startApplogs(real, { under: group.join })
    })
    afterAll(async () => {
      await applogs?.[Symbol.asyncDispose]()
      await real?.[Symbol.asyncDispose]()
      await group?.[Symbol.asyncDispose]()
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
