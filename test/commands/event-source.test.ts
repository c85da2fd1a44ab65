/** Clients of others, as they are, at the local TCP listener: they follow, lose the service, and resume by themselves. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { EventSource } from "eventsource"
import { EventSourceParserStream } from "eventsource-parser/stream"
import { Applogs } from "../real/e2e/applogs.ts"
import { freePort } from "../real/free-port.ts"
import { until } from "../real/sandbox.ts"
import { WrittenShop } from "../real/written-shop.ts"

let shop: WrittenShop
let applogs: Applogs
let url = ""
beforeAll(async () => {
  shop = new WrittenShop()
  const local = `127.0.0.1:${freePort()}`
  url = `http://${local}/api/apps/shop/logs/stream?tail=all`
  applogs = new Applogs({ flags: { ...shop.flags, "--local-listen": local } })
  await applogs.start()
  await applogs.ready()
})
afterAll(async () => {
  await applogs?.[Symbol.asyncDispose]()
  shop?.[Symbol.dispose]()
})

const messageOf = (data: string) => (JSON.parse(data) as { message: string }).message

test("EventSource, from npm, over an end and two kills of the service: 0 lost, 0 doubled", async () => {
  const messages: string[] = []
  let opened = 0
  // Nothing but the address: what a browser would be given.
  const source = new EventSource(url)
  source.addEventListener("open", () => opened++)
  source.addEventListener("log", ({ data }) => messages.push(messageOf(data)))
  try {
    for (const signal of ["SIGTERM", "SIGKILL", "SIGKILL"] as const) {
      const some = messages.length + 100
      shop.write(5_000)
      await until(() => messages.length >= some, { what: "lines" })
      await applogs.end(signal)
      shop.write(100)
      await applogs.start()
    }
    await until(() => messages.length >= shop.written, { what: "all lines" })
    expect(opened).toBe(4)
    expect(messages).toEqual(shop.messages)
  } finally {
    source.close()
  }
}, 60_000)

test("fetch and eventsource-parser, with the last id, over an end and two kills: 0 lost, 0 doubled", async () => {
  const messages: string[] = []
  let lastId = ""
  /** Reads until there are so many, or the service is gone. */
  const follow = async (wanted: number) => {
    const headers: Record<string, string> = lastId === "" ? {} : { "Last-Event-ID": lastId }
    const response = await fetch(url, { headers })
    const text = response.body?.pipeThrough(new TextDecoderStream())
    for await (const event of text?.pipeThrough(new EventSourceParserStream()) ?? []) {
      lastId = event.id ?? lastId
      if (event.event === "log") messages.push(messageOf(event.data))
      if (messages.length >= wanted) break
    }
  }
  for (const signal of ["SIGTERM", "SIGKILL", "SIGKILL"] as const) {
    shop.write(1_000)
    await follow(messages.length + 500)
    await applogs.end(signal)
    shop.write(100)
    await applogs.start()
    await applogs.ready()
  }
  await follow(shop.written)
  expect(messages).toEqual(shop.messages)
}, 60_000)
