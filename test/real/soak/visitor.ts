/** A client of a long run: it stays, comes and goes, or stands still, and checks what it gets by number, without keeping it. */
import type { Applogs } from "../e2e/applogs.ts"
import type { Chance } from "../e2e/chance.ts"
import { Follower } from "../e2e/follower.ts"
import { until } from "../sandbox.ts"
import { SequenceChecker } from "../sequence.ts"
import { isAtEnd } from "./verdict.ts"

/** Stays as long as it can; leaves at some byte, and comes back; or reads nothing for a while, and then what it missed. */
export type Habit = "stay" | "leave" | "stall"

/** A stream that says nothing for so long, or cannot be had for so long, has frozen. Faults are shorter. */
const PATIENCE_MS = 120_000

interface VisitorOptions {
  readonly app: string
  readonly habit: Habit
  readonly chance: Chance
  /** How many lines somebody else receives, at most, while this one reads nothing. */
  readonly stallLines: number
  /** How many times as often as usual it leaves and stalls now. */
  readonly pace: () => number
}

export class Visitor {
  readonly name: string
  readonly checker = new SequenceChecker()
  /** As they were told. */
  readonly gaps: string[] = []
  received = 0
  readonly #follower: Follower
  readonly #options: VisitorOptions

  constructor(host: string, applogs: Applogs, options: VisitorOptions) {
    this.name = `${host}, ${options.habit}`
    this.#follower = new Follower(applogs, options.app, "includeNeeds=true&tail=all")
    this.#options = options
  }

  get connects(): number {
    return this.#follower.connects
  }

  /** Visits until it is over. `elsewhere` counts lines that somebody else has received. */
  async visit(isOver: () => boolean, elsewhere: () => number): Promise<void> {
    const { chance, habit, stallLines, pace } = this.#options
    await this.#connect()
    while (!isOver()) {
      const wanted = this.received + chance.spread(10, 30_000) / pace()
      const going = await this.#read(() => isOver() || this.received >= wanted)
      if (!going) await this.#connect()
      else if (habit === "leave") {
        await this.#bounded(this.#follower.readBytes(chance.spread(1, 5_000)))
        await this.#connect()
      } else if (habit === "stall") {
        const enough = elsewhere() + chance.spread(stallLines / 10, stallLines) / pace()
        const what = "lines for somebody else"
        await until(() => isOver() || elsewhere() >= enough, { what, timeoutMs: PATIENCE_MS })
        const missed = elsewhere()
        await this.#read(() => isOver() || this.received >= missed)
      }
    }
  }

  /** Reads to the end of what is stored, or as far as it gets. */
  async finish(stored: SequenceChecker): Promise<void> {
    const isDone = () => isAtEnd(this.checker, stored)
    while (!isDone()) {
      if (await this.#read(isDone)) break
      await this.#connect()
    }
    this.#follower.cut()
  }

  /** Leaves, and comes with the last id that it saw as soon as it is let in. */
  async #connect(): Promise<void> {
    this.#follower.cut()
    this.#drain()
    const connected = () =>
      this.#follower.connect().then(
        () => true,
        () => false,
      )
    const what = `${this.name} to be let in`
    await until(connected, { what, timeoutMs: PATIENCE_MS })
  }

  /** False when the stream has ended before the condition holds. */
  async #read(condition: () => boolean): Promise<boolean> {
    while (!condition()) {
      const came = () => this.#follower.lines.length > 0 || condition()
      const options = { timeoutMs: PATIENCE_MS }
      const going = await this.#follower.readUntil(came, `a line for ${this.name}`, options)
      this.#drain()
      if (!going) return false
    }
    return true
  }

  /** Whatever it reads has an end, if need be by being cut. */
  async #bounded(work: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => this.#follower.cut(), PATIENCE_MS)
    await work
    clearTimeout(timer)
  }

  #drain(): void {
    const { lines, told } = this.#follower
    for (const { message } of lines.splice(0)) {
      this.checker.addMessage(message)
      this.received++
    }
    for (const { type, data } of told.splice(0)) {
      if (type === "gap") this.gaps.push(`connect ${this.connects}: ${JSON.stringify(data)}`)
    }
  }
}
