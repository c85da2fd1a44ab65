import { describe, expect, test } from "bun:test"
import { once } from "node:events"
import { get } from "node:http"
import { setImmediate } from "node:timers/promises"
import { type BodyOptions, streamBody } from "../../src/http/body.ts"
import type { Encoded } from "../../src/stream/chunk.ts"

const signal = new AbortController().signal

/** A source that counts what it is asked. */
function createSource(batches: readonly (readonly string[])[]) {
  let next = 0
  const counts = { pulls: 0, returns: 0 }
  const source: AsyncIterator<readonly string[]> = {
    async next() {
      counts.pulls++
      const value = batches[next++]
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    async return() {
      counts.returns++
      return { done: true, value: undefined }
    },
  }
  return { source, counts }
}

function createBody(options: Partial<BodyOptions<string>> & Pick<BodyOptions<string>, "source">) {
  const counts = { closes: 0 }
  const body = streamBody<string>({
    encode: (item) => item,
    signal,
    onClose: () => counts.closes++,
    ...options,
  })
  return { body, counts }
}

async function readChunks(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of body) chunks.push(new TextDecoder().decode(chunk))
  return chunks
}

describe("a body", () => {
  test("is the first words, a chunk a batch, and the last words", async () => {
    const { source } = createSource([["a", "b"], [], ["c"]])
    const { body, counts } = createBody({
      source,
      begun: { value: ["0"] },
      first: "<",
      last: () => ">",
    })
    expect(await readChunks(body)).toEqual(["<", "0", "ab", "c", ">"])
    expect(counts.closes).toBe(1)
  })

  test("asks its source for nothing that nobody has asked for", async () => {
    const { source, counts } = createSource([["a"], ["b"]])
    const reader = createBody({ source, first: "<" }).body.getReader()
    await Promise.resolve()
    expect(counts.pulls).toBe(0)
    await reader.read()
    await Promise.resolve()
    expect(counts.pulls).toBe(0)
    await reader.read()
    expect(counts.pulls).toBe(1)
  })

  test("cuts a large batch into chunks, and encodes a line only when it goes out", async () => {
    const line = "x".repeat(1000)
    const { source } = createSource([Array.from({ length: 1000 }, () => line)])
    let encoded = 0
    const { body } = createBody({ source, encode: (item) => (encoded++, item) })
    const reader = body.getReader()
    const { value } = await reader.read()
    expect(value?.byteLength).toBeGreaterThan(64 * 1024)
    expect(value?.byteLength).toBeLessThan(256 * 1024)
    expect(encoded * 1000).toBe(value?.byteLength ?? 0)
    let bytes = value?.byteLength ?? 0
    for (let read = await reader.read(); read.value; read = await reader.read()) {
      expect(read.value.byteLength).toBeLessThan(256 * 1024)
      bytes += read.value.byteLength
    }
    expect(bytes).toBe(1_000_000)
  })

  test("has been taken when the next piece is asked for: a source may use its memory again", async () => {
    /** Less than a socket takes at once, and more. */
    const sizes = [440_000, 100, 5, 200_000, 16_384]
    const pieces = 200
    const memory = Buffer.alloc(440_000)
    let piece = 0
    const source: AsyncIterator<Encoded> = {
      async next() {
        memory.fill("#")
        if (piece === pieces) return { done: true, value: undefined }
        const bytes = memory.subarray(0, sizes[piece % sizes.length])
        bytes.fill(String(piece++ % 10))
        return { done: false, value: { bytes, lines: 1 } }
      },
    }
    using server = Bun.serve({
      port: 0,
      fetch: () => new Response(streamBody({ source, encode: String, signal, onClose() {} })),
    })
    const [response] = await once(get(server.url), "response")
    const chunks: Buffer[] = []
    for await (const chunk of response) {
      chunks.push(chunk)
      // A client that is slower than its server.
      await setImmediate()
    }
    const wanted = Array.from({ length: pieces }, (_, at) => {
      return Buffer.alloc(sizes[at % sizes.length] as number, String(at % 10))
    })
    expect(Buffer.concat(chunks).equals(Buffer.concat(wanted))).toBe(true)
  })

  test("counts the lines and the bytes that it sends, and not what stands around them", async () => {
    const { source } = createSource([["é", "-"], ["abc"]])
    const sent: number[][] = []
    const { body } = createBody({
      source,
      first: "<",
      last: () => ">",
      isLine: (item) => item !== "-",
      onChunk: (...counts) => sent.push(counts),
    })
    await readChunks(body)
    expect(sent).toEqual([
      [1, 3],
      [1, 3],
    ])
  })

  test("lets go of its source once, however often the client leaves", async () => {
    const client = new AbortController()
    const { source, counts } = createSource([["a"], ["b"]])
    const { body, counts: own } = createBody({ source, signal: client.signal })
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    await reader.cancel()
    client.abort()
    expect([counts.returns, own.closes]).toEqual([1, 1])
  })

  test("ends when the request is aborted, also before the first byte is asked for", async () => {
    for (const early of [true, false]) {
      const client = new AbortController()
      if (early) client.abort()
      const { source, counts } = createSource([["a"], ["b"]])
      const { body, counts: own } = createBody({ source, signal: client.signal })
      client.abort()
      expect([counts.returns, own.closes]).toEqual([1, 1])
      await expect(readChunks(body)).rejects.toMatchObject({ name: "AbortError" })
    }
  })

  test("has last words for a failure, if there is anything to say", async () => {
    const { source } = createSource([["a"]])
    source.next = () => Promise.reject(new Error("no"))
    const { body, counts } = createBody({ source, last: String })
    expect(await readChunks(body)).toEqual(["Error: no"])
    expect(counts.closes).toBe(1)
  })

  test("says nothing before it is ready", async () => {
    const { source } = createSource([["a"]])
    const ready = Promise.withResolvers<void>()
    const reader = createBody({ source, first: "<", ready: ready.promise }).body.getReader()
    let said = false
    const first = reader.read().then(() => (said = true))
    await Bun.sleep(0)
    expect(said).toBe(false)
    ready.resolve()
    await first
  })

  test.each(["source", "encoder"])(
    "is cut when its %s fails, and tells of it once",
    async (which) => {
      const failure = new Error("no")
      const { source } = createSource([["a"], ["b"]])
      if (which === "source") source.next = () => Promise.reject(failure)
      const errors: unknown[] = []
      const { body, counts } = createBody({
        source,
        encode() {
          throw failure
        },
        last(error) {
          errors.push(error)
          return ""
        },
      })
      const chunks = readChunks(body)
      expect(chunks).rejects.toMatchObject({ name: "AbortError" })
      await chunks.catch(() => {})
      expect(errors).toEqual([failure])
      expect(counts.closes).toBe(1)
    },
  )
})
