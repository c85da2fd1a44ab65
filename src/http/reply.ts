/** What every answer carries: nothing of it may be cached, guessed at, run or framed. */

const PROTECTION: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
}

/** The one way to a Response. `headers` win over the protection. */
export function reply(
  body: string | ReadableStream<Uint8Array> | null,
  type: string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  return new Response(body, {
    status,
    headers: { ...PROTECTION, "Content-Type": type, ...headers },
  })
}

const streamed = new WeakSet<Response>()

/** As `reply`, with a body that takes as long as it takes. */
export function replyStream(
  body: ReadableStream<Uint8Array>,
  type: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const response = reply(body, type, headers)
  streamed.add(response)
  return response
}

/** Whether silence on the connection is no sign that something is wrong with it. */
export function isStreamed(response: Response): boolean {
  return streamed.has(response)
}

export function replyJson(value: object): Response {
  return reply(JSON.stringify(value), "application/json")
}
