/** What stands in every answer, whichever it is; and what a client sent, which stands in none. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { allCodes, Failure } from "../../src/errors.ts"
import { answerFailures } from "../../src/http/failure.ts"
import { createDoor } from "../../src/http/door.ts"
import { observeNothing } from "../../src/observe.ts"
import { createFake } from "./fakes.ts"

const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = 2_000

const url = "http://localhost/api/apps"

describe("an answer that is a failure", () => {
  test.each(allCodes())(
    "is not kept, guessed at or run: $status $code",
    async ({ code, status }) => {
      const failing = answerFailures(async () => {
        throw new Failure(code, "as it happens")
      }, observeNothing)
      const response = await failing(new Request(url))
      expect(response.status).toBe(status)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; sandbox",
        "content-type": "application/problem+json",
        "x-content-type-options": "nosniff",
      })
    },
  )

  const MARK = "<script>zzz</script>"

  const places: Readonly<Record<string, (word: string) => Request>> = {
    "an app": (word) => new Request(`${url}/${word}/logs`),
    "a path": (word) => new Request(`http://localhost/${word}`),
    "the name of a parameter": (word) => new Request(`${url}/shop/logs?tail=x&${word}=1`),
    "an Accept": (word) => new Request(`${url}/shop/logs`, { headers: { Accept: `${word}/x` } }),
    ...Object.fromEntries(
      ["tail", "since", "until", "service", "stream", "format", "includeNeeds", "verbose"].map(
        (name) => [name, (word: string) => new Request(`${url}/shop/logs?${name}=${word}`)],
      ),
    ),
    "a cursor": (word) => new Request(`${url}/shop/logs/stream?cursor=${word}`),
  }

  test.each(Object.entries(places))("does not repeat %s", async (_, ask) => {
    const { app } = createFake()
    const answer = answerFailures(
      createDoor((request) => app.handle(request)),
      observeNothing,
    )
    const surroundings = fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text))
    await fc.assert(
      fc.asyncProperty(surroundings, surroundings, async (before, behind) => {
        const word = `${before}${encodeURIComponent(MARK)}${behind}`
        const response = await answer(ask(word))
        expect(response.status).toBeWithin(400, 500)
        const body = await response.text()
        const told = body + JSON.stringify([...response.headers])
        expect(told).not.toContain("script>")
        expect(body).not.toContain("zzz")
      }),
      { numRuns: RUNS / 10, seed: SEED },
    )
  })
})
