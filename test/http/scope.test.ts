/** What a key with apps sees: the same of every address, and of what it may not see as much as of what is not there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createGate } from "../../src/http/gate.ts"
import { KeySet } from "../../src/http/keys.ts"
import { answerFailures } from "../../src/http/failure.ts"
import { observeNothing } from "../../src/observe.ts"
import { CURSOR, createFake, entryOf, type Fake, readProblem, until } from "./fakes.ts"
import { type Host, startHost } from "./host.ts"

const APPS = ["shop", "shop-2", "blog-de", "secret"]
const ABSENT = "nope"

/** By its key, which apps somebody sees. */
const SIGHT: Readonly<Record<string, { apps?: string[]; sees: string[] }>> = {
  ["all".repeat(6)]: { sees: APPS },
  ["shop".repeat(4)]: { apps: ["shop"], sees: ["shop"] },
  ["blog".repeat(4)]: { apps: ["blog-*", "shop"], sees: ["shop", "blog-de"] },
  ["shops".repeat(4)]: { apps: ["shop*"], sees: ["shop", "shop-2"] },
  ["none".repeat(4)]: { apps: ["*-none", "SHOP"], sees: [] },
}
const ALL = "all".repeat(6)

const keys = new KeySet(Object.entries(SIGHT).map(([key, { apps }]) => entryOf(key, apps)))

/** Around an app, as the API listener has it. */
function behindGate({ app }: Pick<Fake, "app">, known = keys) {
  const gate = createGate(known, (request) => app.handle(request), observeNothing)
  const answer = answerFailures(gate, observeNothing)
  return (path: string, key: string, headers: Record<string, string> = {}, method = "GET") => {
    const all = { ...headers, Authorization: `Bearer ${key}` }
    return answer(new Request(`http://localhost${path}`, { method, headers: all }))
  }
}

/** Everything that an answer tells but its own id; of a stream, up to where it is quiet. */
async function tellAll(response: Response) {
  let body = ""
  for await (const chunk of response.body ?? []) {
    body += new TextDecoder().decode(chunk)
    if (body.includes("event: ping")) break
  }
  const { status, headers } = response
  const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
  return { status, headers: [...headers], body: body.replaceAll(ids, "id") }
}

const ENDPOINTS = ["", "/logs", "/logs?format=json", "/logs?service=nope", "/logs/stream?tail=9"]

describe.each(Object.entries(SIGHT))("the key %s", (key, { sees }) => {
  let host: Host
  let ask: ReturnType<typeof behindGate>
  const cursors = new Map<string, string>()

  beforeAll(async () => {
    host = await startHost(APPS)
    ask = behindGate(host)
    for (const app of APPS) {
      const response = await ask(`/api/apps/${app}/logs`, ALL)
      cursors.set(app, response.headers.get("Applogs-Cursor") ?? "")
      await response.text()
    }
  })
  afterAll(() => host.stop())

  const hidden = APPS.filter((app) => !sees.includes(app))

  test("lists its apps alone", async () => {
    const { apps } = (await (await ask("/api/apps", key)).json()) as { apps: { id: string }[] }
    expect(apps.map(({ id }) => id).toSorted()).toEqual(sees.toSorted())
  })

  test.each(ENDPOINTS)("is answered by …%s of its apps", async (rest) => {
    for (const app of sees) {
      const { status, body } = await tellAll(await ask(`/api/apps/${app}${rest}`, key))
      expect(status).toBe(rest.includes("nope") ? 404 : 200)
      if (rest.startsWith("/logs") && status === 200) expect(body).toContain(`line of ${app}.`)
      for (const other of hidden) expect(body).not.toContain(`of ${other}.`)
    }
  })

  test.each(ENDPOINTS)("is told by …%s that an app it may not see is not there", async (rest) => {
    for (const method of ["GET", "HEAD"]) {
      const path = (app: string) => `/api/apps/${app}${rest}`
      const absent = await tellAll(await ask(path(ABSENT), key, {}, method))
      expect(absent.status).toBe(404)
      if (method === "GET") expect(absent.body).toContain('"code":"app_not_found"')
      // Nor is there one under a container's id, or a part of it.
      for (const app of [...hidden, host.idOf("secret"), host.idOf("secret").slice(0, 12)]) {
        expect(await tellAll(await ask(path(app), key, {}, method))).toEqual(absent)
      }
    }
  })

  test("gets by the cursor of any app what its own address has, and nothing else", async () => {
    for (const cursor of cursors.values()) {
      for (const by of ["header", "query"]) {
        const headers: Record<string, string> = by === "header" ? { "Last-Event-ID": cursor } : {}
        const query = by === "query" ? `?cursor=${cursor}` : ""
        const stream = (app: string) => ask(`/api/apps/${app}/logs/stream${query}`, key, headers)
        const absent = await tellAll(await stream(ABSENT))
        expect(absent.status).toBe(404)
        for (const app of hidden) expect(await tellAll(await stream(app))).toEqual(absent)
        for (const app of sees) {
          const { status, body } = await tellAll(await stream(app))
          expect(status).toBe(200)
          for (const other of APPS.filter((each) => each !== app)) {
            expect(body).not.toContain(`of ${other}.`)
          }
        }
      }
    }
  })

  test("sees the metrics only if it sees every app", async () => {
    const response = await ask("/metrics", key)
    if (key === ALL) return expect(response.status).toBe(200)
    expect(response.status).toBe(403)
    expect(response.headers.get("WWW-Authenticate")).toBe(
      'Bearer realm="applogs", error="insufficient_scope"',
    )
    expect((await readProblem(response)).code).toBe("insufficient_scope")
  })
})

const BLOG = "blog".repeat(5)

function createScene() {
  const fake = createFake()
  const known = new KeySet([entryOf(BLOG, ["blog*"])])
  return { fake, known, ask: behindGate(fake, known) }
}

test("an app that may not be seen is looked for as hard as one that is not there", async () => {
  const asked = await Promise.all(
    ["shop", ABSENT].map(async (app) => {
      const { fake, ask } = createScene()
      for (const rest of ENDPOINTS) await ask(`/api/apps/${app}${rest}`, BLOG)
      return fake.calls.map((call) => call.replace(app, "it"))
    }),
  )
  expect(asked[0]).toContain("refresh")
  expect(asked[0]).toEqual(asked[1])
})

test("while the runtime is down, nobody who comes back is let in to wait for what is not theirs", async () => {
  const { fake, ask } = createScene()
  fake.runtime.up = false
  const back = { "Last-Event-ID": CURSOR }
  const told = ["shop", ABSENT].map(async (app) =>
    tellAll(await ask(`/api/apps/${app}/logs/stream`, BLOG, back)),
  )
  const [forbidden, absent] = await Promise.all(told)
  expect(forbidden?.status).toBe(503)
  expect(forbidden).toEqual(absent)
  expect(fake.streams).toEqual([])
  const own = await ask("/api/apps/blog/logs/stream", BLOG, back)
  expect(own.status).toBe(200)
  await own.body?.cancel()
})

test("a stream ends when its key may see its app no longer, and is left alone when it may", async () => {
  const fake = createFake()
  const shop = "shop".repeat(5)
  const known = new KeySet([entryOf(shop, ["shop"]), entryOf(ALL)])
  const ask = behindGate(fake, known)
  const stream = "/api/apps/shop/logs/stream"
  const [first, second] = [await ask(stream, shop), await ask(stream, ALL)]
  const text = first.text()
  const other = second.text()
  await until(() => fake.streams.length === 2)
  known.replace([entryOf(shop, ["s*"], "named now"), entryOf(ALL, ["shop"])])
  fake.streams[0]?.end()
  expect(await text).not.toContain("revoked")
  known.replace([entryOf(ALL, ["blog"])])
  expect(await other).toContain('event: end\ndata: {"reason":"revoked","retryable":false}')
  expect((await ask(stream, ALL)).status).toBe(404)
  expect((await ask(stream, shop)).status).toBe(401)
  expect(fake.metrics.streams).toBe(0)
})
