/**
 * A strict HTTP/1.1 client on a socket of its own: it sends exactly the bytes that it is given, reads no
 * faster than it is asked to, and cuts the connection at any byte.
 */
import { connect, type Socket } from "node:net"

export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** The body as it comes. Ends when it is whole; throws when the connection ends before. */
  readonly body: AsyncGenerator<Buffer, void>
  /** Drops the connection, whatever stands in it. */
  cut(): void
}

/** An answer takes no longer to begin than this. */
const PATIENCE_MS = 30_000

/** A GET. `Host` and `Connection: close` are added. */
export async function get(
  address: Address,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const lines = Object.entries({ Host: "applogs.test", Connection: "close", ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return ask(address, `GET ${path} HTTP/1.1\r\n${head}\r\n`)
}

/** Sends these bytes, and returns when the head of the answer has come. */
export async function ask(address: Address, request: string | Uint8Array): Promise<Answer> {
  const socket = connect(address)
  const timer = setTimeout(() => {
    socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`))
  }, PATIENCE_MS)
  try {
    socket.write(request)
    const bytes = new Bytes(socket)
    const [first = "", ...rest] = (await bytes.until("\r\n\r\n")).split("\r\n")
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]
    if (status === undefined) throw new Error(`not a status line: ${JSON.stringify(first)}`)
    const headers = parseHeaders(rest)
    const method = String(request).split(" ", 1)[0]
    return {
      status: Number(status),
      headers,
      body: method === "HEAD" ? nothing(socket) : readBody(bytes, headers, socket),
      cut: () => socket.destroy(),
    }
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The whole body. */
async function read({ body }: Answer): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function readText(answer: Answer): Promise<string> {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await read(answer))
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~\w-]+): ([^\0\r\n]*)$/.exec(line)
    if (!match) throw new Error(`not a header: ${JSON.stringify(line)}`)
    const [, name = "", value = ""] = match
    if (headers.has(name.toLowerCase())) throw new Error(`a header twice: ${name}`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

async function* nothing(socket: Socket): AsyncGenerator<Buffer, void> {
  yield* []
  socket.destroy()
}

async function* readBody(
  bytes: Bytes,
  headers: ReadonlyMap<string, string>,
  socket: Socket,
): AsyncGenerator<Buffer, void> {
  try {
    if (headers.get("transfer-encoding") === "chunked") {
      for (;;) {
        const size = await bytes.until("\r\n")
        if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new Error(`not a chunk: ${JSON.stringify(size)}`)
        yield* bytes.take(Number.parseInt(size, 16))
        if ((await bytes.until("\r\n")) !== "") throw new Error("a chunk is longer than it says")
        if (/^0+$/.test(size)) return
      }
    }
    const length = headers.get("content-length")
    if (length === undefined) throw new Error("an answer that does not say where it ends")
    yield* bytes.take(Number(length))
  } finally {
    socket.destroy()
  }
}

/** What comes out of a socket, by lengths and ends instead of by packets. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#source = (socket as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  /** Up to the mark, which is taken too. */
  async until(mark: string): Promise<string> {
    for (;;) {
      const at = this.#rest.indexOf(mark)
      if (at >= 0) {
        const text = this.#rest.subarray(0, at).toString("latin1")
        this.#rest = this.#rest.subarray(at + mark.length)
        return text
      }
      this.#rest = Buffer.concat([this.#rest, await this.#more()])
    }
  }

  async *take(length: number): AsyncGenerator<Buffer, void> {
    for (let left = length; left > 0;) {
      if (this.#rest.length === 0) this.#rest = await this.#more()
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async #more(): Promise<Buffer> {
    const next = await this.#source.next()
    if (next.done === true) throw new Error("the connection ended inside an answer")
    return next.value
  }
}
