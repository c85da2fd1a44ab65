/** A cursor comes from anybody: whatever is done to one, it is refused or heeded, and leads to no other app's lines. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { type Host, startHost } from "./host.ts"

const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = 1_000

let host: Host
const whole: string[] = []
beforeAll(async () => {
  host = await startHost(["shop", "secret"])
  for (const app of ["shop", "secret"]) {
    const response = await ask(`/api/apps/${app}/logs`)
    whole.push(response.headers.get("Applogs-Cursor") ?? "")
    await response.text()
  }
})
afterAll(() => host.stop())

function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return host.app.handle(new Request(`http://localhost${path}`, { headers }))
}

const letters = fc.constantFrom(...Array.from("v1.0123456789abcdef-_~!zZ"))
const pieces = fc.oneof(
  letters,
  fc.nat(1).map((which) => whole[which] ?? ""),
)

/** Cut out of one or the other, with something else put in its place. */
const mutated = fc
  .record({
    which: fc.nat(1),
    at: fc.nat(80),
    length: fc.nat(20),
    put: fc.array(pieces, { maxLength: 4 }),
  })
  .map(({ which, at, length, put }) => {
    const cursor = whole[which] ?? ""
    return `${cursor.slice(0, at)}${put.join("")}${cursor.slice(at + length)}`
  })

/** Up to where the stream is quiet. */
async function read(response: Response): Promise<string> {
  let body = ""
  for await (const chunk of response.body ?? []) {
    body += new TextDecoder().decode(chunk)
    if (body.includes("event: ping")) break
  }
  return body
}

test(`${RUNS} mutated cursors, each as a parameter and as a browser sends it`, async () => {
  console.log(`mutated cursors: seed ${SEED}`)
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(mutated, async (cursor) => {
      const asked = await ask(`/api/apps/shop/logs/stream?cursor=${encodeURIComponent(cursor)}`)
      statuses.add(asked.status)
      expect([200, 400]).toContain(asked.status)
      expect(await read(asked)).not.toContain("line of secret")
      // A browser that is refused once never comes back.
      const returning = await ask("/api/apps/shop/logs/stream", { "Last-Event-ID": cursor })
      expect(returning.status).toBe(200)
      expect(await read(returning)).not.toContain("line of secret")
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(statuses).toEqual(new Set([200, 400]))
}, 30_000)
