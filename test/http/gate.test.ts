import { describe, expect, test } from "bun:test"
import { createDoor } from "../../src/http/door.ts"
import { answerFailures } from "../../src/http/failure.ts"
import { createGate } from "../../src/http/gate.ts"
import { KeySet } from "../../src/http/keys.ts"
import { observeNothing } from "../../src/observe.ts"
import { createFake, entryOf, readProblem } from "./fakes.ts"

const KEY = "0123456789abcdef"
const OLD_KEY = "fedcba9876543210=="

function createApi(keys = [KEY, OLD_KEY]) {
  const fake = createFake()
  const door = createDoor((request) => fake.app.handle(request))
  const api = answerFailures(
    createGate(new KeySet(keys.map((key) => entryOf(key))), door, observeNothing),
    observeNothing,
  )
  const local = answerFailures(door, observeNothing)
  return { fake, api, local }
}

/** Every address that the app has, and some that it has not. */
const paths = [
  ...new Set(createFake().app.routes.map((route) => route.path.replace(":app", "shop"))),
  "/",
  "/nope",
  "/api",
  "/api/",
  "/healthz/x",
  "//healthz",
  "/healthz%2f..%2fapi/apps",
  "/api/apps/..%2f..%2fhealthz",
  "/metrics?x=/healthz",
]
const open = ["/healthz", "/readyz"]
const closed = paths.filter((path) => !open.includes(path))
const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"]

const doubled = new Headers([
  ["Authorization", `Bearer ${KEY}`],
  ["Authorization", `Bearer ${KEY}`],
])

const refused: [name: string, headers: Headers | Record<string, string>, code: string][] = [
  ["no key", {}, "unauthenticated"],
  ["an empty header", { Authorization: "" }, "unauthenticated"],
  ["an empty Bearer", { Authorization: "Bearer " }, "unauthenticated"],
  ["Basic", { Authorization: `Basic ${btoa(`key:${KEY}`)}` }, "unauthenticated"],
  ["the key as Basic", { Authorization: `Basic ${KEY}` }, "unauthenticated"],
  ["the key alone", { Authorization: KEY }, "unauthenticated"],
  ["another scheme that begins alike", { Authorization: `BearerX ${KEY}` }, "unauthenticated"],
  ["no blank", { Authorization: `Bearer${KEY}` }, "unauthenticated"],
  ["a wrong key", { Authorization: "Bearer wrong-wrong-wrong" }, "invalid_token"],
  ["a part of the key", { Authorization: `Bearer ${KEY.slice(1)}` }, "invalid_token"],
  ["a key and more", { Authorization: `Bearer ${KEY} x` }, "invalid_token"],
  ["a key, quoted", { Authorization: `Bearer "${KEY}"` }, "invalid_token"],
  ["two keys in one header", { Authorization: `Bearer ${KEY},${OLD_KEY}` }, "invalid_token"],
  ["the header twice", doubled, "invalid_token"],
  [
    "the key in another header",
    { "X-Api-Key": KEY, Cookie: `access_token=${KEY}` },
    "unauthenticated",
  ],
  [
    "a wrong key and an upgrade",
    { Upgrade: "websocket", Connection: "Upgrade" },
    "unauthenticated",
  ],
]

describe("the API listener", () => {
  test.each(refused)(
    "with %s refuses every address and method, before anything is looked at",
    async (_, headers, code) => {
      const { api, fake } = createApi()
      for (const path of closed) {
        for (const method of methods) {
          const response = await api(new Request(`http://localhost${path}`, { method, headers }))
          expect(response.status).toBe(401)
          if (method !== "HEAD") expect((await readProblem(response)).code).toBe(code)
          const challenge = response.headers.get("WWW-Authenticate")
          expect(challenge).toStartWith('Bearer realm="applogs"')
          expect(challenge?.includes("invalid_token")).toBe(code === "invalid_token")
        }
      }
      expect(fake.calls).toEqual([])
    },
  )

  test.each(["Bearer", "bearer", "BEARER", "Bearer "])(
    "takes each key by the scheme %p",
    async (scheme) => {
      const { api } = createApi()
      for (const key of [KEY, OLD_KEY]) {
        const headers = { Authorization: `${scheme} ${key}` }
        const response = await api(new Request("http://localhost/api/apps", { headers }))
        expect(response.status).toBe(200)
      }
    },
  )

  test("refuses a thousand wrong keys, from wherever they say they come, all in the same words, and then takes a right one", async () => {
    const { api, fake } = createApi()
    const last = (key: string) => `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`
    const wrong = [
      "",
      " ",
      "é".repeat(16),
      "Ā",
      "\u{1F511}",
      KEY.toUpperCase(),
      `${KEY}\u00A0`,
      last(KEY),
    ]
    for (let length = 1; wrong.length < 1_000; length++) {
      wrong.push("f".repeat(length), `${KEY[0]}${"~".repeat(length)}`, KEY.padEnd(16 + length, "0"))
      wrong.push(last(KEY.repeat(length)), OLD_KEY.slice(0, length % OLD_KEY.length))
    }
    const told = new Set<string>()
    for (const [at, key] of wrong.entries()) {
      // A header is bytes: whoever writes in another script sends UTF-8.
      const sent = Buffer.from(key, "utf8").toString("latin1")
      // Nobody is another one by saying so, least of all one on this host.
      const from = at % 2 === 0 ? "127.0.0.1" : `192.0.2.${at % 256}`
      const headers = {
        Authorization: `Bearer ${sent}`,
        "X-Forwarded-For": from,
        "X-Real-IP": from,
        Forwarded: `for=${from}`,
      }
      const response = await api(new Request("http://localhost/api/apps", { headers }))
      expect(response.status).toBe(401)
      const { detail, code } = await readProblem(response)
      if (key.trim() !== "") told.add(`${code}: ${detail}`)
    }
    expect(told.size).toBe(1)
    expect(fake.calls).toEqual([])
    for (const key of [KEY, OLD_KEY]) {
      const headers = { Authorization: `Bearer ${key}` }
      expect((await api(new Request("http://localhost/api/apps", { headers }))).status).toBe(200)
    }
  })

  test("is not led astray by a short host name, as its router would be", async () => {
    const { api, fake } = createApi()
    for (const path of ["/api/apps", "/x/healthz", "/healthz/../api/apps"]) {
      expect((await api(new Request(`http://x${path}`))).status).toBe(401)
    }
    expect(fake.calls).toEqual([])
    expect((await api(new Request("http://x/healthz"))).status).toBe(200)
    const headers = { Authorization: `Bearer ${KEY}` }
    expect((await api(new Request("http://x/api/apps", { headers }))).status).toBe(200)
  })

  test("tells its health to everybody, and nothing else about it can be done", async () => {
    const { api } = createApi()
    for (const path of open) {
      expect((await api(new Request(`http://localhost${path}`))).status).toBe(200)
      expect((await api(new Request(`http://localhost${path}`, { method: "HEAD" }))).status).toBe(
        200,
      )
      expect((await api(new Request(`http://localhost${path}`, { method: "POST" }))).status).toBe(
        405,
      )
    }
  })

  test("without any key configured answers 503 everywhere, before anything else", async () => {
    const { api, fake } = createApi([])
    for (const path of closed) {
      for (const headers of [
        {},
        { Authorization: `Bearer ${KEY}` },
        { Authorization: "Bearer " },
      ]) {
        for (const method of methods) {
          const url = `http://localhost${path}${path.includes("?") ? "&" : "?"}token=x`
          const response = await api(new Request(url, { method, headers }))
          expect(response.status).toBe(503)
          expect(response.headers.has("WWW-Authenticate")).toBe(false)
          if (method === "HEAD") continue
          expect((await readProblem(response)).code).toBe("api_key_not_configured")
        }
      }
    }
    expect(fake.calls).toEqual([])
    expect((await api(new Request("http://localhost/healthz"))).status).toBe(200)
  })
})

describe.each(["api", "local"] as const)("on the %s listener", (listener) => {
  const headers = { Authorization: `Bearer ${KEY}` }

  test.each(["access_token", "token", "key", "api_key", "Access_Token"])(
    "a key in the address as %s is refused by name, and not repeated",
    async (name) => {
      for (const authorization of [{}, headers]) {
        const { fake, ...listeners } = createApi()
        const url = `http://localhost/api/apps?${name}=${KEY}`
        const response = await listeners[listener](new Request(url, { headers: authorization }))
        expect(response.status).toBe(400)
        const text = await response.text()
        expect(text).toContain(`"parameter":"${name.toLowerCase()}"`)
        expect(text).not.toContain(KEY)
        expect(fake.calls).toEqual([])
      }
    },
  )

  test("only GET and HEAD are allowed, everywhere", async () => {
    const { fake, ...listeners } = createApi()
    for (const path of paths) {
      for (const method of ["OPTIONS", "POST", "PUT", "DELETE", "PATCH"]) {
        const request = new Request(`http://localhost${path}`, { method, headers })
        const response = await listeners[listener](request)
        expect(response.status).toBe(405)
        expect(response.headers.get("Allow")).toBe("GET, HEAD")
        expect((await readProblem(response)).code).toBe("method_not_allowed")
      }
    }
    expect(fake.calls).toEqual([])
  })

  test.each([
    ["Content-Length", "5"],
    ["Transfer-Encoding", "chunked"],
    ["Content-Encoding", "gzip"],
  ])("a request body is refused: %s: %s", async (name, value) => {
    const { fake, ...listeners } = createApi()
    const request = new Request("http://localhost/api/apps", {
      headers: { ...headers, [name]: value },
    })
    const response = await listeners[listener](request)
    expect(response.status).toBe(400)
    expect((await readProblem(response)).code).toBe("invalid_request")
    expect(fake.calls).toEqual([])
  })

  test("every answer forbids to keep, to guess at, to run and to share it", async () => {
    const { fake: _, ...listeners } = createApi()
    for (const path of [
      ...paths,
      "/api/apps/nope",
      "/api/apps/shop/logs?tail=x",
      "/api/apps?key=1",
    ]) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const request = new Request(`http://localhost${path}`, { method, headers })
        const response = await listeners[listener](request)
        await response.body?.cancel()
        const isStream = response.headers.get("Content-Type") === "text/event-stream"
        expect(response.headers.get("Cache-Control")).toBe(
          isStream ? "no-cache, no-transform" : "no-store",
        )
        expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff")
        expect(response.headers.get("Content-Security-Policy")).toStartWith("default-src 'none'")
        expect(response.headers.get("Content-Security-Policy")).toEndWith("sandbox")
        expect(
          [...response.headers.keys()].filter((name) => name.startsWith("access-control")),
        ).toEqual([])
      }
    }
  })
})

test("the local listener asks for no key", async () => {
  const { local } = createApi([])
  expect((await local(new Request("http://localhost/api/apps"))).status).toBe(200)
})
