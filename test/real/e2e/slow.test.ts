/** A client that reads nothing for a while: it loses nothing, costs nobody memory, and holds nobody up. */
import { expect, test } from "bun:test"
import { until } from "../sandbox.ts"
import { writer } from "../writer.ts"
import { count } from "./chance.ts"
import { Follower } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { grown } from "./shop.ts"

const MEGABYTE = 1024 * 1024
/** What is written while the client stands still: far more than any buffer on the way to it. */
const STALL = count({ full: 96, short: 16 }) * MEGABYTE
/** What a client that stands still may cost, with what the heap does anyway. */
const MEMORY_BOUND = 64 * MEGABYTE

describeServed("a container that writes 4 MB/s", (served) => {
  test(`a client that stands still for ${STALL / MEGABYTE} MB gets them all later, beside one that keeps up`, async () => {
    const { real, applogs } = served()
    const command = writer({ name: "flood", rate: 2_000, padding: 2_000 })
    const id = await real.run({ name: "flood", command })
    const slow = new Follower(applogs, "flood", "tail=all")
    const quick = new Follower(applogs, "flood", "tail=all")
    await slow.connect()
    await quick.connect()
    const reading = quick.readOn()
    await slow.readUntil(() => slow.lines.length > 1_000, "1000 lines")
    const before = applogs.usage().memory
    const file = real.logFile(id)
    for (let left = STALL; left > 0; left -= MEGABYTE) await grown(file, MEGABYTE)
    const grownBy = applogs.usage().memory - before
    const behind = quick.lines.length - slow.lines.length

    await real.stopContainer(id)
    const stored = real.storedLines(id)
    await slow.readUntil(() => slow.lines.length >= stored.length, "all lines")
    await until(() => quick.lines.length >= stored.length, { what: "all lines, to the quick one" })
    slow.cut()
    quick.cut()
    await reading
    const ledger = new Ledger()
    for (const [what, { lines, gaps }] of Object.entries({ slow, quick })) {
      ledger.check(what, lines, stored, { from: 0, to: stored.length })
      expect(gaps).toEqual([])
    }
    const megabytes = (grownBy / MEGABYTE).toFixed(0)
    console.log(`${behind} lines behind, ${megabytes} MB of memory for it; ${ledger.report}`)
    // It was served from the log again, and had not been all the time.
    expect(behind).toBeGreaterThan(STALL / 4_000)
    expect(grownBy).toBeLessThan(MEMORY_BOUND)
    expect(ledger.faults).toEqual([])
  })
})
