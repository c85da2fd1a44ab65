/** Behind nginx, with the README's few lines: what is promised holds there too. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:http2"
import { join } from "node:path"
import { EventSource } from "eventsource"
import { PING_MS } from "../../src/stream/events.ts"
import { type Applogs, startApplogs } from "./e2e/applogs.ts"
import { count } from "./e2e/chance.ts"
import { Follower, type Received } from "./e2e/follower.ts"
import { get, readText } from "./e2e/wire.ts"
import { whyNoNginx } from "./machine.ts"
import { type NginxOptions, PrivateNginx } from "./nginx.ts"
import { until } from "./sandbox.ts"
import { WrittenShop } from "./written-shop.ts"

/** A stream is left without a line for so long. */
const SECONDS = count({ full: 600, short: 30 })

/** nginx cuts what is silent for a minute; where there is no time for that, for little more than a ping takes. */
const IDLE = count({ full: 60, short: PING_MS / 1_000 + 2 })

const STREAM = "/api/apps/shop/logs/stream"

const BUILT = join(import.meta.dir, "../../dist/applogs")

/** What one would write without the README. */
const PLAIN = "location / { proxy_pass http://127.0.0.1:6020; }"

const reason = whyNoNginx()

describe.skipIf(reason !== undefined)(`behind nginx ${reason ?? ""}`, () => {
  let shop: WrittenShop
  let applogs: Applogs
  beforeAll(async () => {
    shop = new WrittenShop()
    applogs = await startApplogs(shop)
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    shop?.[Symbol.dispose]()
  })

  const start = (options: Partial<NginxOptions> = {}) =>
    PrivateNginx.start({ upstream: applogs.url, ...options })

  /** A client of applogs that knows nginx alone. */
  function follow({ address }: PrivateNginx, query: string): Follower {
    const Authorization = `Bearer ${applogs.key}`
    const behind = {
      get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
        get(address, path, { Authorization, ...headers }),
    }
    return new Follower(behind, "shop", query)
  }

  const messagesOf = ({ lines }: Follower) => lines.map(({ message }) => message)

  test("each line is there before the next one is written", async () => {
    await using nginx = await start()
    const follower = follow(nginx, "tail=all")
    await follower.connect()
    for (let line = 0; line < 20; line++) {
      await follower.readUntil(() => follower.lines.length === shop.written, "the line")
      shop.write(1)
    }
    follower.cut()
    expect(messagesOf(follower)).toEqual(shop.messages.slice(0, -1))
  })

  test("each line is there before the next one is written, over HTTP/2", async () => {
    await using nginx = await start({ listen: "http2" })
    const session = connect(nginx.url)
    const Authorization = `Bearer ${applogs.key}`
    const stream = session.request({ ":path": `${STREAM}?tail=1`, Authorization })
    let said = ""
    stream.on("data", (bytes: Buffer) => (said += bytes.toString()))
    for (let line = 0; line < 20; line++) {
      await until(() => said.includes(`"line ${shop.written}"`), { what: `line ${shop.written}` })
      shop.write(1)
    }
    stream.close()
    session.destroy()
  })

  test(
    `a stream without a line lives for ${SECONDS} s, although nginx cuts what is silent for ${IDLE} s`,
    async () => {
      await using nginx = await start({ server: `proxy_read_timeout ${IDLE}s;` })
      const follower = follow(nginx, "tail=0")
      await follower.connect()
      const lived = () => {
        const pings = follower.told.filter(({ type }) => type === "ping")
        const [first, last] = [pings[0], pings.at(-1)].map((ping) => String(ping?.data["at"]))
        return Date.parse(last ?? "") - Date.parse(first ?? "")
      }
      const timeoutMs = 1_000 * SECONDS + 3 * PING_MS
      const isLive = await follower.readUntil(() => lived() >= 1_000 * SECONDS, "that time", {
        timeoutMs,
      })
      expect(isLive).toBe(true)
      shop.write(1)
      await follower.readUntil(() => follower.lines.length === 1, "a line")
      follower.cut()
    },
    1_000 * SECONDS + 4 * PING_MS,
  )

  const cuts: Readonly<Record<string, (nginx: PrivateNginx, away: () => void) => Promise<void>>> = {
    "is reloaded": async (nginx, away) => {
      await nginx.reload()
      away()
    },
    "is ended and started again": async (nginx, away) => {
      await nginx.kill()
      away()
      await nginx.start()
    },
  }

  test.each(Object.entries(cuts))(
    "a client that is cut off because nginx %s resumes: 0 lost, 0 doubled",
    async (_, cut) => {
      await using nginx = await start({ main: "worker_shutdown_timeout 1ms;" })
      const follower = follow(nginx, "tail=all")
      for (let round = 1; round <= 10; round++) {
        await follower.connect()
        shop.write(1_000)
        const some = follower.lines.length + round * 50
        await follower.readUntil(() => follower.lines.length >= some, "lines")
        await cut(nginx, () => shop.write(100))
        expect(await follower.readUntil(() => false, "the cut")).toBe(false)
      }
      await follower.connect()
      await follower.readUntil(() => follower.lines.length >= shop.written, "all lines")
      follower.cut()
      expect(messagesOf(follower)).toEqual(shop.messages)
      expect(follower.gaps).toEqual([])
    },
  )

  test("a client that is cut off for its silence resumes: 0 lost, 0 doubled", async () => {
    await using nginx = await start({ server: "proxy_read_timeout 1s;" })
    const follower = follow(nginx, "tail=all")
    for (let round = 0; round < 3; round++) {
      await follower.connect()
      expect(await follower.readUntil(() => false, "the cut")).toBe(false)
      shop.write(10)
    }
    await follower.connect()
    await follower.readUntil(() => follower.lines.length >= shop.written, "all lines")
    follower.cut()
    expect(messagesOf(follower)).toEqual(shop.messages)
    expect(follower.gaps).toEqual([])
  })

  const withKey = (url: string, init: RequestInit) => {
    const headers = { ...(init.headers as object), Authorization: `Bearer ${applogs.key}` }
    return fetch(url, { ...init, headers })
  }

  /** As a browser has it; it is told nothing but the address. */
  const openSource = ({ url }: PrivateNginx) =>
    new EventSource(`${url}${STREAM}?tail=all`, {
      fetch: (address, init) => withKey(String(address), init),
    })

  test("a browser's EventSource comes back when applogs was away", async () => {
    await using nginx = await start()
    const lines: Received[] = []
    let [opened, failed] = [0, 0]
    const source = openSource(nginx)
    source.addEventListener("open", () => opened++)
    source.addEventListener("error", () => failed++)
    source.addEventListener("log", ({ data }) => lines.push(JSON.parse(data) as Received))
    try {
      await until(() => lines.length >= shop.written, { what: "all lines" })
      await applogs.end("SIGKILL")
      shop.write(100)
      // Of the connection it had, and of the one that it tried to make while nobody was there.
      await until(() => failed === 2, { what: "the EventSource to have tried in vain" })
      await applogs.start()
      await until(() => lines.length >= shop.written, { what: "all lines" })
      expect(opened).toBe(2)
      expect(lines.map(({ message }) => message)).toEqual(shop.messages)
    } finally {
      source.close()
    }
  })

  test("a browser's EventSource would not, without the README's lines", async () => {
    await using nginx = await start({ locations: PLAIN })
    const source = openSource(nginx)
    await until(() => source.readyState === source.OPEN, { what: "the stream" })
    await applogs.end("SIGKILL")
    await until(() => source.readyState === source.CLOSED, { what: "it to give up for good" })
    await applogs.start()
    await applogs.ready()
  })

  test("a snapshot of an app of a hundred containers comes through, which nginx by itself cannot take", async () => {
    using large = new WrittenShop()
    large.addServices(120)
    await using other = await startApplogs(large)
    const status = async (options: Partial<NginxOptions>) => {
      await using nginx = await start({ upstream: other.url, ...options })
      const headers = { Authorization: `Bearer ${other.key}` }
      const answer = await get(nginx.address, "/api/apps/shop/logs", headers)
      await readText(answer)
      return answer.status
    }
    expect(await status({})).toBe(200)
    expect(await status({ locations: PLAIN })).toBe(502)
  })

  test.each([
    [
      "gathers lines",
      `${PLAIN.slice(0, -1)} proxy_ignore_headers X-Accel-Buffering; }`,
      "buffering",
    ],
    ["cuts what is silent", `${PLAIN.slice(0, -1)} proxy_read_timeout 2s; }`, "proxy_read_timeout"],
  ])(
    "applogs doctor says of an nginx that %s what it does, and what to do",
    async (_, locations, remedy) => {
      await using nginx = await start({ locations })
      const child = Bun.spawn([BUILT, "doctor", "--url", nginx.url], {
        env: { APPLOGS_API_KEY: applogs.key },
        stdout: "pipe",
      })
      const [said, code] = await Promise.all([child.stdout.text(), child.exited])
      expect(said).toMatch(new RegExp(`^fail .*${remedy}`, "m"))
      expect(code).toBe(1)
    },
  )
})
