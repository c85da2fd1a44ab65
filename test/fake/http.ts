/**
 * HTTP/1.1 on a Unix socket, written by hand: the only way to put every byte where a test wants it.
 * One request at a time on a connection, kept alive between them, and bodies that wait for the reader.
 */
import type { Socket as BunSocket } from "bun"
import type { Chunking, Mishap } from "./faults.ts"

export interface Request {
  readonly method: string
  /** Path and query, as they came. */
  readonly target: string
}

/** A chunked body; each piece is one that the engine would write and flush on its own. */
export interface StreamedBody {
  readonly batches: AsyncIterable<readonly Uint8Array[]>
  readonly headersWithFirstByte: boolean
  readonly chunking: Chunking
  readonly chunkingUpTo?: number
  readonly mishap?: Mishap | undefined
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | StreamedBody
}

export interface ConnectionOptions {
  handle(request: Request, signal: AbortSignal): Promise<Reply>
  /** Read before each write: socket bytes a segment, 0 for no limit. */
  segmentBytes(): number
}

const CRLF = "\r\n"
const HEAD_END = "\r\n\r\n"
const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
}

const NOTHING = new Uint8Array()
const LAST_CHUNK = Buffer.from("0\r\n\r\n")

type Socket = Pick<BunSocket<Connection>, "write" | "end" | "terminate">

/** The peer is gone, or is to think that we are. */
class Gone extends Error {}

export class Connection {
  /** The request that is being answered. */
  current: Request | undefined
  /** Whether it waits for its reader. */
  blocked = false
  #received = ""
  #drained = () => {}
  readonly #closed = new AbortController()
  readonly #socket: Socket
  readonly #options: ConnectionOptions

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
  }

  /** Takes bytes from the socket. */
  receive(bytes: Uint8Array): void {
    this.#received += Buffer.from(bytes).toString("latin1")
    if (this.current === undefined) void this.#serve()
  }

  drain(): void {
    this.#drained()
  }

  /** The socket is closed. */
  closed(): void {
    this.#closed.abort()
    this.#drained()
  }

  /** Breaks the connection. */
  destroy(): void {
    this.#closed.abort()
    this.#drained()
    this.#socket.terminate()
  }

  async #serve(): Promise<void> {
    try {
      for (;;) {
        const end = this.#received.indexOf(HEAD_END)
        if (end < 0) return
        const head = this.#received.slice(0, end)
        this.#received = this.#received.slice(end + HEAD_END.length)
        const [method = "", target = ""] = head.split(CRLF, 1)[0]?.split(" ") ?? []
        this.current = { method, target }
        const reply = await this.#options.handle(this.current, this.#closed.signal)
        // A body is never read, so nothing behind it could be understood either.
        const last = /^connection: *close/im.test(head) || method !== "GET"
        await this.#answer(reply, last)
        this.current = undefined
        if (last) this.#socket.end()
      }
    } catch (error) {
      this.current = undefined
      this.destroy()
      if (!(error instanceof Gone)) throw error
    }
  }

  async #answer(reply: Reply, last: boolean): Promise<void> {
    const { status, body } = reply
    const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? "Error"}`]
    const headers = { ...reply.headers, ...(last ? { Connection: "close" } : {}) }
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    if (typeof body === "string") {
      lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
      await this.#write(Buffer.from(lines.join(CRLF) + HEAD_END + body))
    } else {
      lines.push("Transfer-Encoding: chunked")
      await this.#stream(Buffer.from(lines.join(CRLF) + HEAD_END), body)
    }
  }

  async #stream(head: Uint8Array, body: StreamedBody): Promise<void> {
    const { mishap } = body
    let pending = head
    const send = async (pieces: readonly Uint8Array[]) => {
      const bytes = Buffer.concat([pending, ...pieces.flatMap(encodeChunk)])
      pending = NOTHING
      await this.#write(bytes)
    }
    let left = mishap?.afterBytes ?? Number.POSITIVE_INFINITY
    let toCut = body.chunkingUpTo ?? Number.POSITIVE_INFINITY
    if (!body.headersWithFirstByte) await send([])
    for await (const batch of body.batches) {
      const pieces = toCut > 0 ? recut(batch, body.chunking) : batch
      toCut -= total(batch)
      const [before, after] = splitAt(pieces, left)
      if (before.length > 0) await send(before)
      left -= total(before)
      if (left > 0) continue
      await send([])
      if (mishap?.kind === "reset") throw new Gone()
      if (mishap?.kind === "end") return await this.#write(LAST_CHUNK)
      await Promise.race([mishap?.released, aborted(this.#closed.signal)])
      await send(after)
      left = Number.POSITIVE_INFINITY
    }
    await send([])
    await this.#write(LAST_CHUNK)
  }

  /** Settles when the socket has taken it all, so that a slow reader slows the body down. */
  async #write(bytes: Uint8Array): Promise<void> {
    const segment = this.#options.segmentBytes()
    for (let rest = bytes; rest.length > 0;) {
      if (this.#closed.signal.aborted) throw new Gone()
      const taken = this.#socket.write(segment > 0 ? rest.subarray(0, segment) : rest)
      rest = rest.subarray(Math.max(taken, 0))
      if (taken > 0 && segment > 0) await new Promise((resolve) => setImmediate(resolve))
      else if (rest.length > 0) await this.#drain()
    }
  }

  async #drain(): Promise<void> {
    if (this.#closed.signal.aborted) throw new Gone()
    this.blocked = true
    await new Promise<void>((resolve) => {
      this.#drained = resolve
    })
    this.blocked = false
  }
}

function recut(pieces: readonly Uint8Array[], chunking: Chunking): readonly Uint8Array[] {
  if (chunking === "frame" || pieces.length === 0) return pieces
  const whole = Buffer.concat(pieces)
  if (chunking === "whole") return [whole]
  const cut: Uint8Array[] = []
  for (let at = 0; at < whole.length; at += chunking) cut.push(whole.subarray(at, at + chunking))
  return cut
}

function total(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}

/** The pieces up to that many bytes, and the rest. */
function splitAt(
  pieces: readonly Uint8Array[],
  bytes: number,
): readonly [readonly Uint8Array[], readonly Uint8Array[]] {
  if (bytes === Number.POSITIVE_INFINITY) return [pieces, []]
  let left = bytes
  for (const [index, piece] of pieces.entries()) {
    if (piece.length > left) {
      const before = [...pieces.slice(0, index), piece.subarray(0, left)]
      return [before, [piece.subarray(left), ...pieces.slice(index + 1)]]
    }
    left -= piece.length
  }
  return [pieces, []]
}

function encodeChunk(bytes: Uint8Array): readonly Uint8Array[] {
  // A chunk of no bytes would end the body.
  if (bytes.length === 0) return []
  return [Buffer.from(bytes.length.toString(16) + CRLF), bytes, Buffer.from(CRLF)]
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
}
