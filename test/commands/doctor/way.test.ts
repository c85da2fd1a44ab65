import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../../src/commands/doctor/finding.ts"
import { type Bounds, examineWay } from "../../../src/commands/doctor/way.ts"
import { KEY, Shop } from "../../client/shop.ts"
import { type Fault, FAULTS, startProxy } from "./proxy.ts"
import { untilIt } from "../service.ts"
import { Host } from "./consult.ts"

const shop = new Shop()
beforeAll(async () => {
  shop.write("web", "hello")
  await shop.start()
})
afterAll(() => shop[Symbol.asyncDispose]())

const UNBUFFERED =
  "turn its buffering off for this path: nginx by proxy_buffering off, or by heeding X-Accel-Buffering"

/** What is said of the way, from the third line on: before it are the service and the proxy's name. */
async function examine(fault: Fault, bounds: Bounds): Promise<string[]> {
  await using proxy = startProxy(shop.origin, fault)
  const where = { base: proxy.url, sockets: [], headers: { Authorization: `Bearer ${KEY}` } }
  const lines: string[] = []
  for await (const finding of examineWay(where, new AbortController().signal, bounds)) {
    lines.push(toLine(finding).replaceAll(proxy.url, "URL/"))
  }
  return lines
}

function toLine({ level, what, found, remedy }: Finding): string {
  return [`${level} ${what}`, found, ...(remedy ? [remedy] : [])].join(": ")
}

const SERVICE = "ok service: URL/ answers, and takes the key"
const NOBODY = "ok proxy: nobody in between says a name (Server, Via)"
const AT_ONCE = "ok buffering: the first words come at once"
const RESUMES = "ok resume: Last-Event-ID reaches the service"

/** What is wrong shows before the first ping: nobody waits for it. */
const SHORT: Bounds = { firstMs: 1_000, quietMs: 5_000 }

describe("a proxy", () => {
  test.concurrent("that does nothing is well: a quiet stream lives to the first ping", async () => {
    const lines = await examine(FAULTS.none, { firstMs: 5_000, quietMs: 25_000 })
    const lives = expect.stringMatching(
      /^ok quiet stream: it lives: the next word came after (1\d|2[01]) s$/,
    )
    expect(lines).toEqual([SERVICE, NOBODY, AT_ONCE, RESUMES, lives])
  })

  test.concurrent("that gathers all of a stream", async () => {
    for (const fault of [FAULTS.gathersAll, FAULTS.gathersBlocks]) {
      expect(await examine(fault, SHORT)).toEqual([
        SERVICE,
        NOBODY,
        `fail buffering: not a word within 1 s: what is in between gathers the stream: ${UNBUFFERED}`,
      ])
    }
  })

  test.concurrent("that gathers what comes later", async () => {
    const lines = await examine(FAULTS.gathersLater, { firstMs: 1_000, quietMs: 1_000 })
    expect(lines.at(-1)).toBe(
      `fail buffering: no ping within 1 s: what is in between gathers the stream: ${UNBUFFERED}`,
    )
  })

  test.concurrent("that cuts what is quiet", async () => {
    expect((await examine(FAULTS.cuts, SHORT)).slice(2)).toEqual([
      AT_ONCE,
      RESUMES,
      "fail quiet stream: it is cut after 2 s of silence: set its idle time above 20 seconds: nginx by proxy_read_timeout, HAProxy by timeout server",
    ])
  })

  test.concurrent("that ends a stream at once, or answers in its place", async () => {
    expect((await examine(FAULTS.endsAtOnce, SHORT)).slice(2)).toEqual([
      "fail stream: it ends without a word: see what the proxy logs of it",
    ])
    expect((await examine(FAULTS.fails, SHORT)).slice(2)).toEqual([
      "fail stream: it is answered with 504: see what the proxy logs of it",
    ])
  })

  test.concurrent("that takes headers out", async () => {
    expect(await examine(FAULTS.takesKeys, SHORT)).toEqual([
      "fail key: the service got none, though it was sent: what is in between takes it out: let the proxy pass the header Authorization on",
    ])
    const lines = await examine(FAULTS.takesCursors, { firstMs: 1_000, quietMs: 100 })
    expect(lines[3]).toBe(
      "fail resume: Last-Event-ID does not reach the service: browsers that reconnect miss lines: let the proxy pass this header on",
    )
  })

  test.concurrent("that changes what a stream is, and what it is packed in", async () => {
    const bounds = { firstMs: 1_000, quietMs: 100 }
    expect((await examine(FAULTS.changesType, bounds)).slice(2, 5)).toEqual([
      "warn content type: text/plain, not text/event-stream: let the proxy leave Content-Type alone: browsers take no other",
      AT_ONCE,
      RESUMES,
    ])
    expect((await examine(FAULTS.compresses, bounds)).slice(2, 5)).toEqual([
      "warn compression: the stream is compressed (gzip), which may gather lines: leave text/event-stream out of it (nginx: gzip_types), or heed Cache-Control: no-transform",
      AT_ONCE,
      RESUMES,
    ])
  })

  test.concurrent("is named as it names itself", async () => {
    const lines = await examine(FAULTS.named, { firstMs: 1_000, quietMs: 100 })
    expect(lines[1]).toStartWith("ok proxy: Server: nginx/1.26.3, Via: 1.1 ")
  })

  test.concurrent("that answers in the service's place", async () => {
    for (const said of [new Blob(["nonsense"]), "null", '{"apps":[null]}', '{"apps":{}}']) {
      const headers = { "Content-Type": "application/json" }
      const [line] = await examine({ answer: () => new Response(said, { headers }) }, SHORT)
      expect(line).toStartWith("fail service: URL/ answers with something else than apps: start ")
    }
  })

  test.concurrent("that asks for a password of its own is no service", async () => {
    expect(await examine(FAULTS.asksForPassword, SHORT)).toEqual([
      expect.stringMatching(
        /^fail service: http:\S+ does not answer as applogs does: 401, text\/html: start applogs behind it, and let it pass \/api on, /,
      ),
    ])
  })
})

describe("applogs doctor --url", () => {
  const file = join(shop.folder, "key")

  test("says whether the key is wanted, known, or sees an app", async () => {
    using host = new Host()
    const consult = async (url: string, env = {}) => {
      const { code, lines } = await host.consult(["--url", url], env)
      return { code, lines: lines.map((line) => line.replaceAll(url, "URL")) }
    }
    expect(await consult(shop.origin)).toEqual({
      code: 1,
      lines: ["fail  key: an API key is wanted: --api-key-file, or APPLOGS_API_KEY"],
    })
    expect(await consult(shop.origin, { APPLOGS_API_KEY: "x".repeat(32) })).toEqual({
      code: 1,
      lines: ["fail  key: the API key is not a valid one: see --api-key-file, APPLOGS_API_KEY"],
    })
    await using empty = startProxy(shop.origin, { answer: () => Response.json({ apps: [] }) })
    expect((await consult(empty.url)).lines.at(-1)).toBe(
      "warn  stream: there is no app to try one with: start one, or ask with a key that sees some",
    )
  })

  test("ends at once when it is asked to, in the midst of a quiet stream", async () => {
    await Bun.write(file, `${KEY}\n`)
    const command = shop.spawn(["doctor", "--url", shop.origin, "--api-key-file", file])
    await untilIt("heard the beginning", () => command.out.includes("resume: "))
    const began = performance.now()
    expect(await command.end("SIGINT")).toMatchObject({ code: 130, err: "" })
    expect(performance.now() - began).toBeLessThan(10_000)
    rmSync(file)
  })
})
