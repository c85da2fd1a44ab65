import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { Failure } from "../../src/errors.ts"
import type { MemberLine } from "../../src/stream/service.ts"
import { ask, AT, createFake, CURSOR, DATABASE, makeLine, readProblem, WEB } from "./fakes.ts"

const LOGS = "/api/apps/shop/logs"

const lines: MemberLine[] = [
  { member: WEB, line: makeLine('say "hé\\u{1F680}" \u001b[31mred\u001b[0m \u0007') },
  { member: DATABASE, line: makeLine("ready", "stderr") },
]
const text =
  `${AT} web            | say "hé\\u{1F680}" \u001b[31mred\u001b[0m \\x07\n` +
  `${AT} needs-postgres | ready\n`

function createShop() {
  const fake = createFake()
  fake.lines = [lines.slice(0, 1), [], lines.slice(1)]
  return fake
}

describe("a snapshot", () => {
  test("is text, with the cursor behind it, and says that lines were left out", async () => {
    const fake = createShop()
    const response = await ask(fake, LOGS)
    expect(response.status).toBe(200)
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8")
    expect(response.headers.get("Applogs-Cursor")).toBe(CURSOR)
    expect(response.headers.get("Applogs-Truncated")).toBe("true")
    expect(response.headers.get("Applogs-Ignored-Params")).toBeNull()
    expect(await response.text()).toBe(text)
    expect(fake.snapshots[0]?.query).toEqual({ includeNeeds: true, tail: 100 })
  })

  test("is one JSON object, with the same text in it", async () => {
    const response = await ask(createShop(), `${LOGS}?format=json`)
    expect(response.headers.get("Content-Type")).toBe("application/json")
    expect(await response.json()).toEqual({ logs: text, cursor: CURSOR, truncated: true })
  })

  test("is a LogLine a line in NDJSON", async () => {
    const response = await ask(createShop(), `${LOGS}?verbose`, { Accept: "application/x-ndjson" })
    expect(response.headers.get("Content-Type")).toBe("application/x-ndjson")
    const rows = (await response.text()).trimEnd().split("\n")
    expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual(
      lines.map(({ member, line }) => ({
        service: member.service,
        stream: line.stream,
        timestamp: AT,
        message: line.message,
        isNeeds: member === DATABASE,
        container: member.container.name,
      })),
    )
  })

  test("without a line is empty, in every format", async () => {
    const fake = createFake()
    expect(await (await ask(fake, LOGS)).text()).toBe("")
    expect(await (await ask(fake, `${LOGS}?format=ndjson`)).text()).toBe("")
    expect(await (await ask(fake, `${LOGS}?format=json`)).json()).toEqual({
      logs: "",
      cursor: CURSOR,
      truncated: true,
    })
  })

  test("handles colours as it is told", async () => {
    expect(await (await ask(createShop(), `${LOGS}?ansi=strip`)).text()).not.toContain("\u001b")
    expect(await (await ask(createShop(), `${LOGS}?ansi=raw`)).text()).toContain("\u0007")
    const response = await ask(createShop(), `${LOGS}?ansi=yes`)
    expect((await readProblem(response)).errors?.[0]?.parameter).toBe("ansi")
  })

  test("answers HEAD with its headers, and reads no line", async () => {
    const fake = createShop()
    const response = await ask(fake, LOGS, {}, "HEAD")
    expect(response.status).toBe(200)
    expect(response.headers.get("Applogs-Cursor")).toBe(CURSOR)
    expect(await response.text()).toBe("")
    expect(fake.snapshots[0]?.signal.aborted).toBe(true)
  })

  test("asks for the words that it was given, and tells those that mean nothing", async () => {
    const fake = createShop()
    const response = await ask(fake, `${LOGS}?tail=all&since=5&tial=3&cursor=v1.0`)
    expect(response.headers.get("Applogs-Ignored-Params")).toBe("tial, cursor")
    expect<object | undefined>(fake.snapshots[0]?.query).toEqual({
      includeNeeds: true,
      tail: "all",
      since: "1970-01-01T00:00:05.000000000Z",
    })
  })

  test("in JSON is whole, whatever the lines are", async () => {
    const fake = createFake()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" })), async (messages) => {
        fake.lines = messages.map((message) => [{ member: WEB, line: makeLine(message) }])
        const response = await ask(fake, `${LOGS}?format=json&ansi=raw`)
        const { logs } = (await response.json()) as { logs: string }
        const rows = messages.map((message) => `${AT} web            | ${message}\n`)
        expect(logs).toBe(rows.join(""))
      }),
    )
  })
})

describe("a snapshot that fails", () => {
  test.each(["opening", 0] as const)(
    "before its first line is an answer of its own, and lets go of the source (%p)",
    async (after) => {
      const fake = createShop()
      fake.snapshotFailure = { error: new Failure("log_driver_unreadable", "use json-file"), after }
      const response = await ask(fake, LOGS)
      expect(response.status).toBe(501)
      expect((await readProblem(response)).detail).toBe("use json-file")
      expect(fake.snapshots[0]?.signal.aborted).toBe(true)
    },
  )

  test("behind its first byte is cut, so that nobody takes it for whole, and is logged", async () => {
    const fake = createShop()
    fake.snapshotFailure = { error: new Error("disk on fire"), after: 1 }
    const response = await ask(fake, LOGS)
    expect(response.status).toBe(200)
    let failure: unknown
    await response.text().catch((error: unknown) => (failure = error))
    expect(failure).toMatchObject({ name: "AbortError" })
    expect(fake.snapshots[0]?.signal.aborted).toBe(true)
    expect(fake.logged).toMatchObject([{ level: "error", event: "request failed" }])
  })

  test("by a fault of ours says nothing of it but where to look", async () => {
    const fake = createFake()
    fake.snapshotFailure = { error: new Error("secret of the house"), after: "opening" }
    const response = await ask(fake, LOGS)
    expect(response.status).toBe(500)
    const body = await response.text()
    expect(body).not.toContain("secret")
    expect(body).toContain("This is a fault in applogs")
    const [logged] = fake.logged as { requestId: string; error: Error }[]
    expect(body).toContain(logged?.requestId ?? "?")
    expect(logged?.error.cause).toBe(fake.snapshotFailure.error)
  })

  test("as the client leaves lets go of the source", async () => {
    const fake = createShop()
    const client = new AbortController()
    const request = new Request(`http://localhost${LOGS}`, { signal: client.signal })
    const response = await fake.app.handle(request)
    client.abort()
    expect(fake.snapshots[0]?.signal.aborted).toBe(true)
    await response.body?.cancel().catch(() => {})
  })
})

describe("names", () => {
  test("an app that is not known is looked for once more", async () => {
    const fake = createFake()
    fake.runtime.found = [{ id: "new one", members: [WEB] }]
    expect((await ask(fake, "/api/apps/new%20one/logs")).status).toBe(200)
    expect(fake.calls).toEqual(["app new one", "refresh", "app new one", "snapshot"])
  })

  test("an app that is not found is 404, and its name is not repeated", async () => {
    const fake = createFake()
    const response = await ask(fake, "/api/apps/%3Cscript%3E/logs")
    expect(response.status).toBe(404)
    const body = await response.text()
    expect(body).toContain('"code":"app_not_found"')
    expect(body).not.toContain("script")
  })

  test("a service that is not known is looked for once more, then 404 names those that are", async () => {
    const fake = createFake()
    const response = await ask(fake, `${LOGS}?service=wbe`)
    expect(response.status).toBe(404)
    expect(await readProblem(response)).toMatchObject({
      code: "service_not_found",
      allowed: ["web", "needs-postgres"],
      errors: [{ parameter: "service" }],
    })
    expect(fake.calls).toContain("refresh")
    expect((await ask(fake, `${LOGS}?service=needs-postgres`)).status).toBe(200)
  })

  test.each([
    ["..%2f..%2fetc", "../../etc"],
    ["%252e%252e", "%2e%2e"],
    ["%252fshop", "%2fshop"],
    ["a%0d%0ab", "a\r\nb"],
    ["a%00b", "a\0b"],
    ["%20", " "],
    ["x".repeat(200), "x".repeat(200)],
    ["shop%00", "shop\0"],
    ["SHOP", "SHOP"],
    ["--since", "--since"],
    ["0123456789ab", "0123456789ab"],
    ["__proto__", "__proto__"],
    ["caf%C3%A9", "café"],
  ])("%s is decoded once, is compared, and is nothing else", async (encoded, decoded) => {
    const fake = createFake()
    const response = await ask(fake, `/api/apps/${encoded}/logs`)
    expect((await readProblem(response)).code).toBe("app_not_found")
    expect(fake.calls).toEqual([`app ${decoded}`, "refresh", `app ${decoded}`])
  })

  test.each(["%zz", "%", "%E0%A4%A", "%ff", "%c0%80"])(
    "%s is no percent-encoding",
    async (name) => {
      const fake = createFake()
      const response = await ask(fake, `/api/apps/${name}/logs`)
      expect(response.status).toBe(400)
      expect((await readProblem(response)).errors?.[0]?.parameter).toBe("app")
      expect(fake.calls).toEqual([])
    },
  )

  test.each([
    "/api/apps//logs",
    "/api/apps/a/b/logs",
    "/api/apps/%2e%2e/logs",
    "/api/apps/shop/logs/x",
    "/api",
  ])("%s is no address of ours", async (path) => {
    const fake = createFake()
    const response = await ask(fake, path)
    expect((await readProblem(response)).code).toBe("not_found")
    expect(fake.calls).toEqual([])
  })

  test("any name at all reaches the directory as it is", async () => {
    const fake = createFake()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1 }), async (name) => {
        const wellFormed = name.toWellFormed()
        // What URL parsers take for steps in a path never arrives.
        fc.pre(!/^(?:\.|%2e){1,2}$/i.test(wellFormed))
        fake.calls.length = 0
        const response = await ask(fake, `/api/apps/${encodeURIComponent(wellFormed)}/logs`)
        expect(response.status).toBe(wellFormed === "shop" ? 200 : 404)
        expect(fake.calls[0]).toBe(`app ${wellFormed}`)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("the runtime being down", () => {
  test("does not hide an app that is known", async () => {
    const fake = createFake()
    fake.runtime.up = false
    expect((await ask(fake, LOGS)).status).toBe(200)
  })

  test("is 503 for an app that is not known, with the time to come back", async () => {
    const fake = createFake()
    fake.runtime.up = false
    const response = await ask(fake, "/api/apps/other/logs")
    expect(response.status).toBe(503)
    expect(response.headers.get("Retry-After")).toBe("7")
    expect((await readProblem(response)).code).toBe("runtime_unavailable")
  })
})
