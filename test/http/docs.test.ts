import { createHash } from "node:crypto"
import { describe, expect, test } from "bun:test"
import { allCodes } from "../../src/errors.ts"
import { SnapshotWords, StreamWords } from "../../src/http/query.ts"
import { ask, createFake } from "./fakes.ts"

interface Operation {
  summary?: string
  parameters?: { name: string; in: string; schema: { description?: string } }[]
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>
}

interface Document {
  openapi: string
  info: { version: string }
  components: { schemas: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}

async function readDocument() {
  const fake = createFake()
  const response = await ask(fake, "/openapi.json")
  expect(response.headers.get("Content-Type")).toBe("application/json")
  return { fake, document: (await response.json()) as Document }
}

describe("the OpenAPI document", () => {
  test("describes every address there is, each with what it answers", async () => {
    const { fake, document } = await readDocument()
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toBe("1.2.3")
    const paths = fake.app.routes.map((route) => route.path.replace(":app", "{app}"))
    expect(Object.keys(document.paths).toSorted()).toEqual([...new Set(paths)].toSorted())
    for (const item of Object.values(document.paths)) {
      expect(Object.keys(item)).toEqual(["get"])
      expect(item["get"]?.summary).toBeTruthy()
      expect(item["get"]?.responses["200"]?.content).not.toEqual({})
    }
  })

  test("describes every word that a query may have", async () => {
    const { document } = await readDocument()
    const cases = [
      ["/api/apps/{app}/logs", SnapshotWords],
      ["/api/apps/{app}/logs/stream", StreamWords],
    ] as const
    for (const [path, words] of cases) {
      const parameters = document.paths[path]?.["get"]?.parameters ?? []
      expect(parameters.map(({ name }) => name)).toEqual(["app", ...Object.keys(words.properties)])
      for (const parameter of parameters) expect(parameter.schema.description).toBeTruthy()
    }
  })

  test("refers to nothing that it does not hold", async () => {
    const { document } = await readDocument()
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)
    const names = new Set([...references].map(([, name]) => name as string))
    expect(names.size).toBeGreaterThan(0)
    for (const name of names) expect(document.components.schemas[name]).toBeDefined()
  })

  test("says what each address may refuse", async () => {
    const { document } = await readDocument()
    const responses = (path: string) => document.paths[path]?.["get"]?.responses ?? {}
    const stream = responses("/api/apps/{app}/logs/stream")
    expect(Object.keys(stream)).toEqual(["200", "400", "401", "404", "406", "429", "503"])
    expect(stream["503"]?.description).toContain("runtime_unavailable")
    expect(Object.keys(responses("/healthz"))).toEqual(["200"])
  })
})

describe("the page to read it", () => {
  test("loads nothing and runs nothing, and its policy lets just its own style through", async () => {
    const response = await ask(createFake(), "/docs")
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8")
    const page = await response.text()
    expect(page).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import|https?:|style="/i)
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? ""
    const hash = createHash("sha256").update(style).digest("base64")
    expect(response.headers.get("Content-Security-Policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; sandbox`,
    )
  })

  test("names every address, word and code", async () => {
    const { fake, document } = await readDocument()
    const page = await (await ask(fake, "/docs")).text()
    for (const path of Object.keys(document.paths)) expect(page).toContain(`GET ${path}`)
    for (const name of Object.keys(StreamWords.properties)) expect(page).toContain(`<code>${name}<`)
    for (const { code } of allCodes()) expect(page).toContain(`<code>${code}</code>`)
  })
})
