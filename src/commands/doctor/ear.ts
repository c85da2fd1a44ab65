/** Listens to an answer, each time for so long: what is waited for goes on coming afterwards. */

type Read = Bun.ReadableStreamDefaultReadResult<Uint8Array>

export class Ear {
  readonly #asked: Promise<Response>
  readonly #decoder = new TextDecoder()
  #reader: { read(): Promise<Read> } | undefined
  #next: Promise<Read> | undefined
  #isOver = false

  constructor(asked: Promise<Response>) {
    this.#asked = asked
  }

  /** Whether nothing more will come. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** `undefined`: it has not begun by then. */
  async answer(ms: number): Promise<Response | undefined> {
    const response = await before(this.#asked, ms)
    this.#reader = response?.body?.getReader()
    this.#isOver = response !== undefined && !this.#reader
    return response
  }

  /** What comes until it is enough, or over, or until the time is up. */
  async until(isEnough: (text: string) => boolean, ms: number): Promise<string> {
    const end = performance.now() + ms
    let text = ""
    while (!this.#isOver && !isEnough(text)) {
      // What breaks off ends too.
      this.#next ??= this.#reader?.read().catch(() => ({ done: true, value: undefined }))
      const read = this.#next && (await before(this.#next, end - performance.now()))
      if (!read) break
      this.#next = undefined
      this.#isOver = read.done
      if (read.value) text += this.#decoder.decode(read.value, { stream: true })
    }
    return text
  }
}

async function before<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), Math.max(0, ms))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
