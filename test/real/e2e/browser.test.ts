/** The EventSource of browsers, as the npm package `eventsource` has it: it reconnects by itself, and misses nothing. */
import { expect, test } from "bun:test"
import { EventSource } from "eventsource"
import { until } from "../sandbox.ts"
import type { Received } from "./follower.ts"
import { Ledger } from "./ledger.ts"
import { describeServed } from "./served.ts"
import { Shop } from "./shop.ts"

describeServed("a browser's EventSource", (served) => {
  test("gets every line over a restart and a kill of applogs, without a word of code for it", async () => {
    const { real, applogs } = served()
    const shop = new Shop(real, "browser")
    await shop.open({ load: 0.2 })
    const lines: Received[] = []
    let opened = 0
    const source = new EventSource(
      `${applogs.url}/api/apps/browser/logs/stream?verbose=true&includeNeeds=true&tail=all`,
      {
        fetch: (url, init) => {
          const headers = { ...init.headers, Authorization: `Bearer ${applogs.key}` }
          return fetch(url, { ...init, headers })
        },
      },
    )
    source.addEventListener("open", () => opened++)
    source.addEventListener("log", ({ data }) => lines.push(JSON.parse(data) as Received))
    try {
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        const before = lines.length
        await until(() => lines.length > before + 500, { what: "lines" })
        await applogs.end(signal)
        await applogs.start()
      }
      await until(() => opened === 3, { what: "the EventSource to come back twice" })
      const truth = await shop.close()
      const total = [...truth.values()].reduce((sum, each) => sum + each.length, 0)
      await until(() => lines.length >= total, { what: `all ${total} lines` })
      const ledger = new Ledger()
      ledger.checkWhole("EventSource", lines, truth)
      console.log(`EventSource over a restart and a kill of applogs: ${ledger.report}`)
      expect(ledger.faults).toEqual([])
    } finally {
      source.close()
    }
  })
})
