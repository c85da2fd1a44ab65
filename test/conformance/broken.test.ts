import { describe, expect, test } from "bun:test"
import { brokenSubject, type Flaw } from "./broken.ts"
import { FLAWS } from "./flaws.ts"
import { CASES, runCase } from "./suite.ts"

/** What the case that is there to find a flaw throws. */
async function findings({ foundBy }: Flaw, flaw: Flaw): Promise<unknown> {
  const [finder, ...others] = CASES.filter(({ name }) => name.startsWith(foundBy))
  if (!finder || others.length > 0) throw new Error(`not one case: ${foundBy}`)
  return await runCase(finder, brokenSubject(flaw)).then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe("the conformance suite finds a runtime that", () => {
  test.each(FLAWS.map((flaw) => [flaw.name, flaw] as const))("%s", async (_, flaw) => {
    const sound: Flaw = { ...flaw, spoil: () => ({}) }
    expect(await findings(flaw, sound)).toBeUndefined()
    expect(await findings(flaw, flaw)).toBeInstanceOf(Error)
  })
})
