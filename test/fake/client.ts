/** A client that shows an HTTP response as it is on the wire: its chunks, and how it ended. */

interface Response {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  chunks: Uint8Array[]
  /** `complete`: with a proper end; `broken`: the connection closed before it. */
  state: "open" | "complete" | "broken"
}

const LIMIT_MS = 10_000

export class WireClient implements Disposable {
  /** Becomes the response, piece by piece. */
  readonly response: Response = { status: 0, headers: {}, chunks: [], state: "open" }
  #received: Buffer = Buffer.alloc(0)
  #close = () => {}
  #pause = () => {}
  #resume = () => {}

  /** Sends a request, and takes what comes until disposed. */
  static async open(unix: string, target: string, method = "GET"): Promise<WireClient> {
    const client = new WireClient()
    const socket = await Bun.connect({
      unix,
      socket: {
        data: (_, bytes) => client.#receive(bytes),
        close: () => client.#closed(),
        error: () => client.#closed(),
      },
    })
    client.#close = () => socket.end()
    client.#pause = () => socket.pause()
    client.#resume = () => socket.resume()
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n`)
    return client
  }

  /** The whole response to a request. */
  static async get(unix: string, target: string, method = "GET"): Promise<WireClient> {
    const client = await WireClient.open(unix, target, method)
    await client.until(() => client.response.state !== "open", `the end of ${target}`)
    return client
  }

  get body(): Buffer {
    return Buffer.concat(this.response.chunks)
  }

  /** Stops reading, so that what is written to us stays with the writer. */
  pause(): void {
    this.#pause()
  }

  resume(): void {
    this.#resume()
  }

  /** Waits until what has arrived, or what else the condition asks, is so. Throws after 10 s. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + LIMIT_MS
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`waited ${LIMIT_MS} ms in vain for ${what}`)
      await Bun.sleep(1)
    }
  }

  [Symbol.dispose](): void {
    this.#close()
  }

  #closed(): void {
    if (this.response.state === "open") this.response.state = "broken"
  }

  #receive(bytes: Uint8Array): void {
    this.#received = Buffer.concat([this.#received, bytes])
    if (this.response.status === 0) this.#readHead()
    if (this.response.status !== 0) this.#readBody()
  }

  #readHead(): void {
    const end = this.#received.indexOf("\r\n\r\n")
    if (end < 0) return
    const [first = "", ...lines] = this.#received.toString("latin1", 0, end).split("\r\n")
    this.#received = this.#received.subarray(end + 4)
    for (const line of lines) {
      const [name = "", value = ""] = line.split(/: *(.*)/s, 2)
      this.response.headers[name.toLowerCase()] = value
    }
    this.response.status = Number(first.split(" ")[1])
  }

  #readBody(): void {
    const { headers, chunks } = this.response
    const length = headers["content-length"]
    if (length !== undefined) {
      if (this.#received.length < Number(length)) return
      if (Number(length) > 0) chunks.push(this.#received.subarray(0, Number(length)))
      this.response.state = "complete"
      return
    }
    for (;;) {
      const lineEnd = this.#received.indexOf("\r\n")
      if (lineEnd < 0) return
      const size = Number.parseInt(this.#received.toString("latin1", 0, lineEnd), 16)
      const start = lineEnd + 2
      if (this.#received.length < start + size + 2) return
      if (size === 0) {
        this.response.state = "complete"
        return
      }
      chunks.push(this.#received.subarray(start, start + size))
      this.#received = this.#received.subarray(start + size + 2)
    }
  }
}

export interface Frame {
  readonly type: number
  /** Taken off the payload's front; empty when there is none. */
  readonly stamp: string
  /** As Latin-1, so that a test sees every byte. */
  readonly text: string
}

/** Takes a multiplexed body apart; throws when it does not end at a frame's end. */
export function parseFrames(body: Buffer): readonly Frame[] {
  const frames: Frame[] = []
  for (let at = 0; at < body.length;) {
    const end = at + 8 + body.readUInt32BE(at + 4)
    if (end > body.length) throw new Error("the body ends within a frame")
    const payload = body.toString("latin1", at + 8, end)
    const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /.exec(payload)?.[0] ?? ""
    frames.push({ type: body[at] ?? 0, stamp: stamp.trimEnd(), text: payload.slice(stamp.length) })
    at = end
  }
  return frames
}

/** The request for a container's logs, both streams. */
export function logsOf({ id }: { readonly id: string }, query = ""): string {
  return `/containers/${id}/logs?stdout=1&stderr=1${query}`
}

/** The texts of a whole log response. */
export async function readTexts(
  unix: string,
  container: { readonly id: string },
  query = "",
): Promise<readonly string[]> {
  const { body } = await WireClient.get(unix, logsOf(container, query))
  return parseFrames(body).map(({ text }) => text)
}
