/** A real browser at the local TCP listener: its own EventSource resumes, and a page of somebody else's gets nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Browser } from "./browser.ts"
import { Applogs } from "./e2e/applogs.ts"
import { freePort } from "./free-port.ts"
import { whyNoBrowser } from "./machine.ts"
import { until } from "./sandbox.ts"
import { WrittenShop } from "./written-shop.ts"

const reason = whyNoBrowser()

describe.skipIf(reason !== undefined)(reason ? `a browser [${reason}]` : "a browser", () => {
  let shop: WrittenShop
  let applogs: Applogs
  let browser: Browser
  let origin = ""
  beforeAll(async () => {
    shop = new WrittenShop()
    const local = `127.0.0.1:${freePort()}`
    origin = `http://${local}`
    applogs = new Applogs({ flags: { ...shop.flags, "--local-listen": local } })
    await applogs.start()
    await applogs.ready()
    browser = await Browser.start()
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await applogs?.[Symbol.asyncDispose]()
    shop?.[Symbol.dispose]()
  })

  /** Opens an EventSource in the page, which gathers what comes. */
  const follow = (path: string) =>
    browser.evaluate(`
      globalThis.got = []; globalThis.opened = 0; globalThis.failed = 0
      globalThis.source = new EventSource("${path}/api/apps/shop/logs/stream?tail=all")
      source.onopen = () => opened++
      source.onerror = () => failed++
      source.addEventListener("log", ({ data }) => got.push(JSON.parse(data).message))
      true`)

  const isAtLeast = (expression: string, value: number) => async () =>
    Number(await browser.evaluate(expression)) >= value

  test("follows with its EventSource over an end and two kills of applogs: 0 lost, 0 doubled", async () => {
    await browser.goTo(`${origin}/healthz`)
    await until(async () => (await browser.evaluate("location.origin")) === origin, {
      what: "the page",
    })
    await follow("")
    for (const signal of ["SIGTERM", "SIGKILL", "SIGKILL"] as const) {
      shop.write(1_000)
      await until(isAtLeast("got.length", shop.written - 500), { what: "lines" })
      await applogs.end(signal)
      shop.write(100)
      await applogs.start()
    }
    await until(isAtLeast("got.length", shop.written), { what: "all lines" })
    expect(await browser.evaluate("opened")).toBe(4)
    expect(await browser.evaluate("got")).toEqual(shop.messages)
    await browser.evaluate("source.close()")
  }, 60_000)

  test("shows a page of another origin nothing", async () => {
    const evil = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<p>hello", { headers: { "Content-Type": "text/html" } }),
    })
    try {
      const { port } = evil
      // Another site, and the same one with another port.
      for (const other of [`http://localhost:${port}`, `http://127.0.0.1:${port}`]) {
        await browser.goTo(other)
        await until(async () => (await browser.evaluate("location.origin")) === other, {
          what: "the page",
        })
        await follow(origin)
        await until(isAtLeast("failed", 1), { what: "the EventSource to fail" })
        // It has given up for good.
        expect(await browser.evaluate("[opened, got.length, source.readyState]")).toEqual([0, 0, 2])
        const asking = `fetch("${origin}/api/apps", { mode: "no-cors" }).then((r) => r.text())`
        expect(await browser.evaluate(`${asking}.catch(() => "")`)).toBe("")
      }
    } finally {
      await evil.stop(true)
    }
  }, 60_000)
})
