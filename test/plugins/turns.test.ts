import { expect, test } from "bun:test"
import { Turns } from "../../plugins/turns.ts"

const { signal } = new AbortController()

/** Work that ends when it is told to, and how often it was begun. */
function createWork() {
  const ends: PromiseWithResolvers<number>[] = []
  const work = () => {
    const end = Promise.withResolvers<number>()
    ends.push(end)
    return end.promise
  }
  return { work, ends }
}

test("many who ask while one is answered share the next answer, which was begun after they asked", async () => {
  const { work, ends } = createWork()
  const turns = new Turns(work)
  const first = turns.take(signal)
  const others = [turns.take(signal), turns.take(signal), turns.take(signal)]
  ends[0]?.resolve(1)
  expect(await first).toBe(1)
  await Promise.resolve()
  expect(ends).toHaveLength(2)
  ends[1]?.resolve(2)
  expect(await Promise.all(others)).toEqual([2, 2, 2])
})

test("a failure is the next one's only if it took long to come", async () => {
  for (const [patienceMs, ends] of [
    [0, ["rejected", "rejected"]],
    [60_000, ["rejected", "fulfilled"]],
  ] as const) {
    let begun = 0
    const turns = new Turns(async () => {
      await Promise.resolve()
      if (++begun === 1) throw new Error("it hung")
    }, patienceMs)
    const both = await Promise.allSettled([turns.take(signal), turns.take(signal)])
    expect(both.map(({ status }) => status)).toEqual([...ends])
    // And nobody is stuck behind it.
    await turns.take(signal)
  }
})

test("who is called off does not wait, and the work goes on for the others", async () => {
  const { work, ends } = createWork()
  const turns = new Turns(work)
  const leaving = new AbortController()
  const [gone, stays] = [turns.take(leaving.signal), turns.take(signal)]
  const said = gone.catch((error: unknown) => String(error))
  leaving.abort(new Error("called off"))
  expect(await said).toBe("Error: called off")
  ends[0]?.resolve(1)
  await Promise.resolve()
  await Promise.resolve()
  ends[1]?.resolve(2)
  expect(await stays).toBe(2)
})
