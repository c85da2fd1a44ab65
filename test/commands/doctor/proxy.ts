/** Proxies as people have them in front of a service, each with one fault. */
import { createGzip, constants as zlib } from "node:zlib"

export interface Fault {
  /** What is changed of the request's headers. */
  readonly ask?: (headers: Headers) => void
  readonly answer?: (response: Response) => Response | Promise<Response>
}

export function startProxy(origin: string, { ask, answer = (response) => response }: Fault = {}) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.delete("Accept-Encoding")
      ask?.(headers)
      const never: object = { timeout: false }
      return answer(
        await fetch(origin + pathname + search, { headers, signal: request.signal, ...never }),
      )
    },
  })
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Of a stream alone: what else is asked comes whole. */
function ofStreams(
  change: (body: ReadableStream<Uint8Array>, headers: Headers) => Response | Promise<Response>,
) {
  return (response: Response) => {
    const headers = new Headers(response.headers)
    headers.delete("Transfer-Encoding")
    const isStream = headers.get("Content-Type") === "text/event-stream"
    return isStream && response.body ? change(response.body, headers) : response
  }
}

function changing(headers: Headers, name: string, value: string): { headers: Headers } {
  headers.set(name, value)
  return { headers }
}

export const FAULTS = {
  none: { answer: ofStreams((body, headers) => new Response(body, { headers })) },
  named: {
    answer: ({ body, headers, status }) => {
      const all = new Headers(headers)
      all.set("Server", "nginx/1.26.3")
      all.set("Via", "1.1 \x9b2Jfront")
      return new Response(body, { headers: all, status })
    },
  },
  /** Answers when it has all of it. */
  gathersAll: { answer: ofStreams(async (body) => new Response(await new Response(body).text())) },
  /** Answers at once, and hands on what fills a block. */
  gathersBlocks: {
    answer: ofStreams((body, headers) => {
      const block: Uint8Array[] = []
      const gather = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk) => void block.push(chunk),
        flush: (controller) => block.forEach((chunk) => controller.enqueue(chunk)),
      })
      return new Response(body.pipeThrough(gather), { headers })
    }),
  },
  /** Hands on the first words alone. */
  gathersLater: {
    answer: ofStreams((body, headers) => {
      let isFirst = true
      const gather = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (isFirst) controller.enqueue(chunk)
          isFirst = !chunk.toString().includes("ping") && isFirst
        },
      })
      return new Response(body.pipeThrough(gather), { headers })
    }),
  },
  cuts: { answer: ofStreams((body, headers) => new Response(cutAfter(body, 2_000), { headers })) },
  endsAtOnce: {
    answer: ofStreams(async (body, headers) => {
      await body.cancel()
      return new Response("", { headers })
    }),
  },
  fails: {
    answer: ofStreams(async (body) => {
      await body.cancel()
      return new Response("no", { status: 504 })
    }),
  },
  takesKeys: { ask: (headers) => headers.delete("Authorization") },
  takesCursors: { ask: (headers) => headers.delete("Last-Event-ID") },
  changesType: {
    answer: ofStreams(
      (body, headers) => new Response(body, changing(headers, "Content-Type", "text/plain")),
    ),
  },
  compresses: {
    answer: ofStreams((body, headers) => {
      const gzip = createGzip({ flush: zlib.Z_SYNC_FLUSH })
      void (async () => {
        for await (const chunk of body) gzip.write(chunk)
        gzip.end()
      })().catch(() => gzip.destroy())
      const packed = new ReadableStream<Uint8Array>({
        start(controller) {
          gzip.on("data", (chunk: Uint8Array) => controller.enqueue(chunk))
          gzip.on("end", () => controller.close())
        },
      })
      return new Response(packed, changing(headers, "Content-Encoding", "gzip"))
    }),
  },
  asksForPassword: {
    answer: () => new Response("<html>", { status: 401, headers: { "Content-Type": "text/html" } }),
  },
} as const satisfies Readonly<Record<string, Fault>>

/** Ends when nothing has come for so long. */
function cutAfter(body: ReadableStream<Uint8Array>, ms: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const late = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => late.resolve(undefined), ms)
      const read = await Promise.race([reader.read(), late.promise])
      clearTimeout(timer)
      if (read?.value) controller.enqueue(read.value)
      else {
        controller.close()
        await reader.cancel()
      }
    },
  })
}
