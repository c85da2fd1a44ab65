/** Takes the head and the chunks' sizes off an HTTP/1 answer, whose bytes come in any pieces. */

const CR = 0x0d
const LF = 0x0a

export class Body {
  readonly #push: (piece: Buffer) => void
  /** What has come of the head; none any more once it is whole. */
  #head: string | undefined = ""
  /** Bytes until the end of this chunk. */
  #left = 0
  #size = ""

  constructor(push: (piece: Buffer) => void) {
    this.#push = push
  }

  /** The head has come. */
  get begun(): boolean {
    return this.#head === undefined
  }

  /** Throws if the answer is not a 200. */
  add(bytes: Buffer): void {
    let at = this.#head === undefined ? 0 : this.#addHead(this.#head, bytes)
    while (at < bytes.length) {
      if (this.#left > 0) {
        const end = Math.min(bytes.length, at + this.#left)
        this.#left -= end - at
        this.#push(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
        at = end
      } else {
        this.#addSize(bytes[at++] as number)
      }
    }
  }

  /** Where the body begins in these bytes. */
  #addHead(before: string, bytes: Buffer): number {
    const head = before + bytes.toString("latin1")
    const end = head.indexOf("\r\n\r\n")
    if (end < 0) {
      this.#head = head
      return bytes.length
    }
    if (!/^HTTP\/1\.[01] 200 /.test(head)) throw new Error(`not a stream: ${head.slice(0, 1_000)}`)
    this.#head = undefined
    // Else all that comes is the body, to the connection's end.
    if (!/\r\ntransfer-encoding: chunked\r\n/i.test(head.slice(0, end + 2))) this.#left = Infinity
    return end + 4 - before.length
  }

  /** The line end behind a chunk is one more line, without a size. */
  #addSize(byte: number): void {
    if (byte === CR) return
    if (byte !== LF) {
      this.#size += String.fromCharCode(byte)
    } else if (this.#size !== "") {
      this.#left = Number.parseInt(this.#size, 16)
      this.#size = ""
    }
  }
}
