/** Requests outside the contract, byte for byte as they go over the wire: each gets its typed error, and nothing else happens. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { PrivateRuntime } from "../runtime.ts"
import { until } from "../sandbox.ts"
import { printAndWait } from "../writer.ts"
import { type Applogs, startApplogs } from "./applogs.ts"
import { ADDRESSES, AUTHORIZATIONS, GARBAGE, METHODS, PARAMETERS } from "./requests.ts"
import { describeReal, idleConnections, startRuntime } from "./runtime.ts"
import { type Answer, ask, get, readText } from "./wire.ts"

describeReal("applogs is asked", () => {
  let real: PrivateRuntime
  let applogs: Applogs
  let cursor = ""
  beforeAll(async () => {
    real = await startRuntime()
    const command = printAndWait("1\n2\n3\n")
    const labels = { "applogs.app": "shop", "applogs.service": "web" }
    const id = await real.run({ name: "shop-web", command, labels })
    await until(() => real.storedEnds(id) === 3, { what: "three lines" })
    applogs = await startApplogs(real)
    const snapshot = await applogs.get("/api/apps/shop/logs")
    cursor = snapshot.headers.get("applogs-cursor") ?? ""
    await readText(snapshot)
  })
  afterAll(async () => {
    await applogs?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  for (const [query, parameter] of PARAMETERS) {
    for (const route of ["logs", "logs/stream"]) {
      test(`${route}?${shorten(query)}`, async () => {
        const answer = await applogs.get(`/api/apps/shop/${route}?${query}`)
        const isOthers = route === "logs" ? "cursor" : "until"
        if (parameter === isOthers) {
          // A name that means nothing here is told, and not heeded.
          expect([answer.status, answer.headers.get("applogs-ignored-params")]).toEqual([
            200,
            parameter,
          ])
          answer.cut()
          return
        }
        const problem = await expectProblem(answer, 400, "invalid_parameter")
        expect(problem.errors?.[0]?.parameter).toBe(parameter)
      })
    }
  }

  for (const [path, status, code] of ADDRESSES) {
    test(`${shorten(path)} is ${code}`, async () => {
      await expectProblem(await applogs.get(path), status, code)
    })
  }

  for (const [title, header, code] of AUTHORIZATIONS) {
    test(`with ${title}: ${code}`, async () => {
      const head = header.replaceAll("KEY", applogs.key)
      for (const path of [
        "/api/apps",
        "/api/apps/shop/logs",
        "/metrics",
        "/openapi.json",
        "/nothing",
      ]) {
        const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`
        const answer = await ask(applogs.address, request)
        expect(answer.headers.get("www-authenticate")).toStartWith('Bearer realm="applogs"')
        await expectProblem(answer, 401, code)
      }
    })
  }

  for (const [title, request, status, code] of METHODS) {
    test(`with ${title}: ${status} ${code}`, async () => {
      const answer = await ask(applogs.address, request.replaceAll("KEY", applogs.key))
      await expectProblem(answer, status, code)
    })
  }

  for (const [title, bytes] of GARBAGE) {
    test(`with ${title}: refused or cut off, and it goes on serving`, async () => {
      const answer = await ask(applogs.address, bytes.replaceAll("KEY", applogs.key)).catch(
        () => undefined,
      )
      if (answer) {
        // 505 is the server's own word for a line with a blank too many.
        const isRefused = (answer.status >= 400 && answer.status < 500) || answer.status === 505
        expect(isRefused).toBe(true)
        answer.cut()
      }
      expect((await applogs.get("/healthz")).status).toBe(200)
    })
  }

  test("with any cursor that is not whole: refused as a parameter, said as a gap by a browser", async () => {
    for (let at = 0; at < cursor.length; at++) {
      const cut = cursor.slice(0, at)
      const changed = `${cut}${cursor[at] === "a" ? "b" : "a"}${cursor.slice(at + 1)}`
      for (const wrong of [cut, changed, `${cut}%0A${cursor.slice(at)}`, `${cut}!`]) {
        const answer = await applogs.get(`/api/apps/shop/logs/stream?cursor=${wrong}`)
        // A change may make another cursor: then it is one, and what it says is verified when it is read.
        if (answer.status !== 200) await expectProblem(answer, 400, "invalid_parameter")
        answer.cut()
      }
    }
    const path = "/api/apps/shop/logs/stream"
    const answer = await applogs.get(path, { "Last-Event-ID": `${cursor}!` })
    let said = ""
    for await (const chunk of answer.body) {
      said += chunk.toString()
      if (said.includes("event: gap")) break
    }
    expect(said).toContain('"reason":"malformed_cursor"')
  })

  test("by no key on the local socket, and answers there; by no key here, and says so", async () => {
    expect((await get({ path: applogs.localSocket }, "/api/apps")).status).toBe(200)
    await expectProblem(await get(applogs.address, "/api/apps"), 401, "unauthenticated")
    expect((await get(applogs.address, "/healthz")).status).toBe(200)
  })

  test("all of this, and nothing of it is left: no stream, no connection, and no fault in its log", async () => {
    expect(await applogs.metric("applogs_streams_open")).toBe(0)
    // The list of its containers is read now and then.
    await until(() => applogs.usage().engineConnections <= idleConnections.most, {
      what: "applogs to hold open no more than while it is idle",
    })
    expect(applogs.log()).not.toContain("level=error")
    expect(applogs.log()).not.toContain(applogs.key)
  })
})

interface Problem {
  readonly status: number
  readonly code: string
  readonly errors?: readonly { readonly parameter: string }[]
}

async function expectProblem(answer: Answer, status: number, code: string): Promise<Problem> {
  // A stream, which it ought not to be, has no end.
  if (answer.status === 200) answer.cut()
  expect(answer.status).toBe(status)
  const problem = JSON.parse(await readText(answer)) as Problem
  expect([problem.status, problem.code]).toEqual([status, code])
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  return problem
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text
}
