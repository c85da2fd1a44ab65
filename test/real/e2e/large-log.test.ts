/** All of a log that is many times as large as the memory there is. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { connect } from "node:net"
import { ControlGroup, UNIT_BYTES } from "../control-group.ts"
import type { PrivateRuntime } from "../runtime.ts"
import { writer } from "../writer.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { count } from "./chance.ts"
import { describeReal, halfReadBytes, logSource, startRuntime, testWith } from "./runtime.ts"

const MEGABYTE = 1024 * 1024
/** More where lines are cut anywhere, or come from the engine. */
const MOST = (halfReadBytes > 0 || logSource === "api" ? 128 : 100) * MEGABYTE
const LINE_BYTES = 200
const LOG = count({ full: 5_120, short: 256 }) * MEGABYTE
/** Of a line, the time that stands before it and the line feed are not the container's. */
const PADDING = LINE_BYTES - "flood.1 stdout 0000000001 ".length

const isPossible = ControlGroup.isPossible()
const title = `applogs with the ${UNIT_BYTES / MEGABYTE} MB of memory that its unit gives it`

describe.skipIf(!isPossible)(isPossible ? title : `${title} [no control group here]`, () => {
  describeReal("and a large log", () => {
    let real: PrivateRuntime
    let applogs: Applogs
    let group: ControlGroup
    beforeAll(async () => {
      group = ControlGroup.make(UNIT_BYTES)
      real = await startRuntime()
      applogs = await startApplogs(real, { under: group.join })
    })
    afterAll(async () => {
      await applogs?.[Symbol.asyncDispose]()
      await real?.[Symbol.asyncDispose]()
      await group?.[Symbol.asyncDispose]()
    })

    const what = `a snapshot of ${LOG / MEGABYTE} MB takes less than ${MOST / MEGABYTE} MB`
    testWith("little memory", what, async () => {
      const lines = Math.ceil(LOG / LINE_BYTES)
      const command = writer({ name: "flood", rate: 1e9, lines, padding: PADDING })
      const id = await real.run({ name: "flood", command, logOptions: { "max-size": "16g" } })
      await real.exited(id, 600_000)
      expect(await readAll("/api/apps/flood/logs?tail=all")).toBeGreaterThan(LOG)
      const { peak } = applogs.usage()
      console.log(`${LOG / MEGABYTE} MB: ${(peak / MEGABYTE).toFixed(0)} MB at most`)
      expect(peak).toBeLessThan(MOST)
    })

    /** How many bytes came, in all. */
    async function readAll(path: string): Promise<number> {
      const socket = connect(applogs.address)
      const head = `Host: x\r\nAuthorization: Bearer ${applogs.key}\r\nConnection: close\r\n`
      socket.write(`GET ${path} HTTP/1.1\r\n${head}Accept: text/plain\r\n\r\n`)
      let bytes = 0
      for await (const some of socket) bytes += (some as Buffer).length
      return bytes
    }
  })
})
