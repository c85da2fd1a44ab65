/** A body's bytes arrive as they were sent, in whatever pieces and however far apart they come. */
import { describe, expect, test } from "bun:test"
import { Readable } from "node:stream"
import fc from "fast-check"
import { readBytes } from "../../src/logapi/chunks.ts"

const NEVER = new AbortController().signal

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Pieces of `sizes` bytes, each so many turns of the event loop behind the one before. */
async function* send(sizes: readonly number[], turns: number, failure?: Error) {
  let byte = 0
  for (const size of sizes) {
    for (let count = 0; count < turns; count++) await turn()
    yield Buffer.from(Array.from({ length: size }, () => byte++))
  }
  if (failure) throw failure
}

async function receive(body: Readable, gathers: boolean, into: Buffer[]): Promise<void> {
  for await (const bytes of readBytes(body, NEVER, gathers)) into.push(bytes)
}

describe.each([true, false])("gathering: %p", (gathers) => {
  test("every byte arrives once and in order, and then the end", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 20 })
    const sent = fc.asyncProperty(sizes, fc.nat(3), async (pieces, turns) => {
      const wanted: Buffer[] = []
      for await (const piece of send(pieces, 0)) wanted.push(piece)
      const received: Buffer[] = []
      await receive(Readable.from(send(pieces, turns)), gathers, received)
      expect(Buffer.concat(received).equals(Buffer.concat(wanted))).toBe(true)
    })
    await fc.assert(sent, { numRuns: 300 })
  })

  test("what came before the connection broke is handed over, and then the error thrown", async () => {
    const received: Buffer[] = []
    const body = Readable.from(send([10, 20, 30], 1, new Error("it broke")))
    await expect(receive(body, gathers, received)).rejects.toThrow("it broke")
    expect(Buffer.concat(received)).toHaveLength(60)
  })

  test("what has come does not wait for what does not come", async () => {
    const body = new Readable({ read() {} })
    const bytes = readBytes(body, NEVER, gathers)
    const first = bytes.next()
    body.push(Buffer.from("a line"))
    expect((await first).value?.toString()).toBe("a line")
    await bytes.return()
    expect(body.destroyed).toBe(true)
  })
})

test("gathered, a body that comes in small pieces is handed over in large ones", async () => {
  const received: Buffer[] = []
  const sizes = Array.from({ length: 1_000 }, () => 150)
  await receive(Readable.from(send(sizes, 1)), true, received)
  expect(received.length).toBeLessThan(100)
})
