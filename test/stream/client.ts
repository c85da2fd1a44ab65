/**
 * A client that may be slow, lose the last events it was sent, leave, and come back with what it knows; and that
 * asks the oracle about everything it gets.
 */
import { Failure } from "../../src/errors.ts"
import type { Form } from "../../src/stream/chunk.ts"
import { parseCursor } from "../../src/stream/cursor.ts"
import type { StreamEvent } from "../../src/stream/events.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import type { Delivery, LiveStream, LogService } from "../../src/stream/service.ts"
import { entriesOf } from "../../src/stream/some.ts"
import { takeSnapshot } from "../../src/stream/snapshot.ts"
import type { Instant } from "../../src/time.ts"
import { settle } from "../logapi/fake-time.ts"
import { linesIn } from "../block-lines.ts"
import { type Marks, Oracle } from "./oracle.ts"
import { wallClock, type World } from "./world.ts"

/** How a client begins that knows nothing yet. */
export interface Opening {
  readonly tail?: number
  /** From a time so many milliseconds ago. */
  readonly sinceMs?: number
  /** Says a cursor that is none. */
  readonly malformed?: boolean
}

/** What the channel encodes for this client and others alike: the number of an event in a list. */
const told: StreamEvent[] = []
export const FORM: Form = {
  name: "list",
  encode: (event) => `${told.push(event) - 1}\n`,
  encodeBlock(member, block, { before, behind }) {
    const events = linesIn(block).map((line): StreamEvent => {
      return { type: "log", member, line, cursor: before + line.position + behind }
    })
    return Buffer.from(events.map(this.encode).join(""))
  },
}

export function read(delivery: Delivery): readonly StreamEvent[] {
  if (!("bytes" in delivery)) return delivery
  const numbers = new TextDecoder().decode(delivery.bytes).split("\n").slice(0, -1)
  return numbers.map((number) => told[Number(number)] as StreamEvent)
}

/** What the client knew behind an event. */
interface Memory {
  readonly cursor: string | undefined
  readonly marks: Marks
}

export class Client {
  readonly #world: World
  readonly #service: LogService
  readonly #query: LogQuery
  readonly #opening: Opening
  readonly #oracle: Oracle
  #memories: Memory[] = []
  /** Where it begins when it comes. */
  #from: { readonly cursor?: string; readonly since?: Instant } = {}
  /** The last lines that it is to begin with: how many have come, and how many must have. */
  #tail: { came: number; readonly due: number | undefined } | undefined
  #session: LiveStream | undefined
  /** As it was told last. */
  #runtime: string | undefined
  /** What it has asked for and not got yet. */
  #asked: Promise<void> | undefined
  #snapshot: Promise<void> | undefined
  #failure: unknown
  readonly counts = { lines: 0, gaps: 0, resumes: 0, snapshots: 0 }

  constructor(world: World, service: LogService, query: LogQuery, opening: Opening) {
    this.#world = world
    this.#service = service
    this.#query = query
    this.#opening = opening
    this.#oracle = new Oracle(world, query)
    world.onBox.push((box) => {
      if (this.#session) this.#oracle.create(box)
    })
  }

  get here(): boolean {
    return this.#session !== undefined
  }

  /** Whether it has asked for more than there is. */
  get waits(): boolean {
    return this.#asked !== undefined
  }

  /** Throws what went wrong. */
  check(): void {
    if (this.#failure) throw this.#failure
  }

  /** Leaves, and takes a snapshot, which takes its time; goes on from its last line, or from its cursor. */
  async snapshot(tail: number | "all", by: "since" | "cursor"): Promise<void> {
    await this.leave(0)
    if (this.#snapshot) return
    this.#snapshot = this.#takeSnapshot(tail, by).catch((error: unknown) => {
      const isDown = error instanceof Failure && error.code === "runtime_unavailable"
      if (!isDown) this.#failure = error
      this.#oracle.clear()
    })
    void this.#snapshot.then(() => (this.#snapshot = undefined))
  }

  async #takeSnapshot(tail: number | "all", by: "since" | "cursor"): Promise<void> {
    this.#from = {}
    const app = this.#world.app()
    const finish = this.#oracle.snapshot(app)
    const { signal } = new AbortController()
    const query = { ...this.#query, tail }
    const { cursor, lines: batches } = await takeSnapshot(this.#world, app, query, signal)
    let last: Instant | undefined
    for await (const some of batches) {
      for (const { member, line } of entriesOf(some)) {
        this.#oracle.take(member.container.id, line)
        last = line.timestamp
      }
    }
    this.#from = by === "since" && last ? { since: last } : { cursor }
    finish(this.#from.since)
    this.counts.snapshots++
  }

  /** Comes, or comes back, and asks for a first batch. */
  async come(): Promise<void> {
    if (this.#session || this.#snapshot) return
    const { sinceMs, malformed } = this.#opening
    if (this.#from.cursor !== undefined || this.#from.since) this.counts.resumes++
    else {
      this.#oracle.clear()
      if (sinceMs !== undefined) this.#from = { since: wallClock(-sinceMs) }
    }
    const { cursor: text, since } = this.#from
    const cursor = text === undefined ? undefined : parseCursor(text)
    if (text !== undefined && !cursor) throw new Error(`not a cursor: ${text}`)
    const isFresh = !cursor && !since
    const tail = isFresh ? (this.#opening.tail ?? 0) : 0
    this.#tail = tail > 0 ? { came: 0, due: this.#oracle.count(tail) } : undefined
    const joins = this.#world.listeners > 0
    this.#oracle.open({ cursor, since, tail, joins })
    const query: LogQuery = {
      ...this.#query,
      tail,
      ...(since && { since }),
      ...(cursor ? { cursor } : malformed && { cursor: "malformed" }),
    }
    this.#runtime = undefined
    this.#session = this.#service.stream(this.#world.app(), query, FORM)
    this.#memories = [{ cursor: text, marks: this.#oracle.marks }]
    await this.pull()
    // The first batch was the gap alone.
    if (isFresh && malformed) await this.pull()
  }

  /** Takes a batch, or waits for one. */
  async pull(): Promise<void> {
    this.#asked ??= this.#take()
    await settle()
    this.check()
  }

  /** Leaves, and has never got the last so many events. */
  async leave(back: number): Promise<void> {
    if (!this.#session) return
    const session = this.#session
    this.#session = undefined
    let ended = false
    void session.return().then(() => (ended = true))
    await settle()
    this.check()
    if (!ended || this.#asked) throw new Error("the stream did not end when the client left")
    const memory = this.#memories[Math.max(0, this.#memories.length - 1 - back)]
    if (memory?.cursor !== undefined) this.#from = { cursor: memory.cursor }
    else if (!this.#oracle.handOver) this.#from = {}
    if (memory) this.#oracle.goBack(memory.marks)
  }

  /** All has come that was due. */
  finish(): void {
    this.#oracle.finish()
  }

  async #take(): Promise<void> {
    try {
      const session = this.#session
      const next = await session?.next()
      // What comes after the client has left, nobody gets.
      if (!next || session !== this.#session) return
      if (next.done) throw new Error("the stream ended by itself")
      for (const event of read(next.value)) {
        this.#get(event)
        // An event without a cursor leaves the client's as it is.
        const cursor = event.cursor || this.#memories.at(-1)?.cursor
        this.#memories.push({ cursor, marks: this.#oracle.marks })
      }
    } catch (error) {
      this.#failure = error
    } finally {
      this.#asked = undefined
    }
  }

  #get(event: StreamEvent): void {
    if (event.type === "log") {
      this.counts.lines++
      if (this.#tail) this.#tail.came++
      this.#oracle.take(event.member.container.id, event.line)
    } else if (event.type === "gap") this.#getGap(event)
    else if (event.type === "problem") throw event.failure
    else if (event.type === "ping") this.#endTail()
    else if (event.type === "status" && !event.member) this.#getRuntime(event.state)
  }

  #getGap({ member, reason, from }: StreamEvent & { type: "gap" }): void {
    if (reason === "malformed_cursor" && this.#opening.malformed) return
    if (!member || reason === "malformed_cursor" || reason === "unreadable") {
      throw new Error(`a gap without a reason: ${reason}`)
    }
    this.counts.gaps++
    // The last lines could not be read: what is written from then on is due all the same.
    if (this.#tail && reason === "runtime_error") return
    this.#oracle.jump(member.container.id, { reason, ...(from && { from }) })
  }

  /** It goes and comes by turns: what has happened is told once, and in its order. */
  #getRuntime(state: string): void {
    if (this.#runtime === state) throw new Error(`the runtime is told twice to be ${state}`)
    this.#runtime = state
  }

  /** The replay is over: the last lines have come, as many as were asked for. */
  #endTail(): void {
    if (!this.#tail) return
    const { came, due } = this.#tail
    this.#tail = undefined
    if (came > (this.#opening.tail ?? 0) || (due !== undefined && came !== due)) {
      throw new Error(`${came} lines came where ${due} were due`)
    }
  }
}
