/** A client of one app's stream: it connects, reads as far as it is told to, is cut off, and comes back. */
import type { Applogs } from "./applogs.ts"
import { SseReader } from "./sse.ts"
import type { Answer } from "./wire.ts"

export interface Received {
  readonly container: string
  readonly service: string
  readonly stream: string
  readonly timestamp: string
  readonly message: string
  readonly partial?: true
}

/** An event that is no line. */
export interface Told {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** How many lines had come before it. */
  readonly at: number
}

/** What a test waits for comes within this time, or never. */
const PATIENCE_MS = 60_000

export class Follower {
  readonly lines: Received[] = []
  readonly told: Told[] = []
  /** Of the last event that came whole. */
  lastId = ""
  /** How often it has connected. */
  connects = 0
  readonly #applogs: Pick<Applogs, "get">
  readonly #path: string
  #answer: Answer | undefined
  #reader = new SseReader()
  #waiting: Buffer = Buffer.alloc(0)

  /** `query` as it stands in the address; containers are always named. */
  constructor(applogs: Pick<Applogs, "get">, app: string, query: string) {
    this.#applogs = applogs
    this.#path = `/api/apps/${app}/logs/stream?verbose=true&${query}`
  }

  /** Connects, with the last id that it saw. Throws when the answer is not a stream. */
  async connect(): Promise<void> {
    this.cut()
    const seen: Record<string, string> = this.lastId === "" ? {} : { "Last-Event-ID": this.lastId }
    const answer = await this.#applogs.get(this.#path, seen)
    const type = answer.headers.get("content-type")
    if (answer.status !== 200 || type !== "text/event-stream") {
      answer.cut()
      throw new Error(`no stream: ${answer.status} ${type}`)
    }
    this.#answer = answer
    this.#reader = new SseReader()
    this.#waiting = Buffer.alloc(0)
    this.connects++
  }

  /** Reads so many bytes and no more, wherever that is; false when the stream has ended before. */
  async readBytes(bytes: number): Promise<boolean> {
    for (let left = bytes; left > 0;) {
      if (this.#waiting.length === 0 && !(await this.#fill())) return false
      const piece = this.#waiting.subarray(0, left)
      this.#waiting = this.#waiting.subarray(piece.length)
      left -= piece.length
      for (const event of this.#reader.push(piece)) this.#take(event.id, event.type, event.data)
    }
    return true
  }

  /** Reads until the condition holds; false when the stream has ended before. Throws when it takes too long. */
  async readUntil(
    condition: () => boolean,
    what: string,
    { timeoutMs = PATIENCE_MS } = {},
  ): Promise<boolean> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.cut()
    }, timeoutMs)
    try {
      while (!condition()) {
        const going = await this.readBytes(Math.max(1, this.#waiting.length))
        if (late) throw new Error(`waited ${timeoutMs} ms in vain for ${what}; ${this.#state()}`)
        if (!going) return false
      }
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  /** Reads whatever comes, until it is cut. */
  async readOn(): Promise<void> {
    while (await this.readBytes(Math.max(1, this.#waiting.length)));
  }

  /** Whether what came last is not the end of an event. */
  get isInsideEvent(): boolean {
    return this.#reader.rest !== ""
  }

  /** What it was told of lines that may be missing, or come twice. */
  get gaps(): readonly Told[] {
    return this.told.filter(({ type }) => type === "gap")
  }

  cut(): void {
    this.#answer?.cut()
    this.#answer = undefined
  }

  async #fill(): Promise<boolean> {
    try {
      const next = await this.#answer?.body.next()
      if (next === undefined || next.done === true) return false
      this.#waiting = next.value
      return true
    } catch {
      // Cut off, by whichever side: what came of an event that is not whole does not count.
      return false
    }
  }

  #take(id: string, type: string, data: string): void {
    this.lastId = id
    const value = JSON.parse(data) as Received & Told["data"]
    if (type !== "log") {
      this.told.push({ type, data: value, at: this.lines.length })
      return
    }
    const { service, stream, timestamp, message, isNeeds, partial, container } = value
    const promised = { service, stream, timestamp, message, isNeeds, ...(partial && { partial }) }
    if (data !== JSON.stringify({ ...promised, container })) throw new Error(`no LogLine: ${data}`)
    this.lines.push(value)
  }

  #state(): string {
    const { lines, connects, told } = this
    return `${lines.length} lines, ${connects} connects, told ${JSON.stringify(told.slice(-5))}`
  }
}
