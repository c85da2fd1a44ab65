/** What has come of a log, checked line by line against what was written. */
import type { Batch, Gap, Line, Start } from "../../src/runtime.ts"
import { type Instant, shift } from "../../src/time.ts"
import type { Writer, Written } from "./history.ts"
import type { ModelLog } from "./model.ts"

export interface Rules {
  /** Records that lie further back than these are not looked at to tell the head of a line. */
  readonly slack?: number
  /** Which lines are wanted. */
  readonly wanted?: (line: Pick<Line, "message" | "stream">) => boolean
}

/** What must come next: the line of this number, or one up to the first that may be `to`. */
interface Due {
  readonly from: number
  readonly to: number
  /** `to` is stamped at this time or later. */
  readonly since?: Instant | undefined
  /** The line before it came. Else nobody can tell what was rotated away before a record was seen. */
  readonly known: boolean
}

/** A place that one can come back to. */
export interface Mark {
  readonly due: Due | undefined
  readonly torn: number
}

export class Reception {
  readonly #log: ModelLog
  readonly #writer: Writer
  readonly #rules: Rules
  /** Undefined behind a gap that any line may follow. */
  #due: Due | undefined = { from: 0, to: 0, known: false }
  /** How many records there were when the read began at the end, and whether it saw where lines begin. */
  #began = 0
  #blind = false
  /** Two seconds before the time at which the read began. */
  #oldest = ""
  /** Received lines that a stop tore. */
  readonly torn: string[] = []
  gaps = 0
  lines = 0

  constructor(log: ModelLog, writer: Writer, rules: Rules = {}) {
    this.#log = log
    this.#writer = writer
    this.#rules = rules
  }

  /** The next line is the one of that number, or one of these. */
  expect(from: number, to = from, since?: Instant): void {
    this.#due = { from, to, since, known: false }
  }

  /** Whether a line has come, or a gap. */
  get known(): boolean {
    return this.#due === undefined || this.#due.known
  }

  /** What a read that begins now, and so, must give first: from the first record held on, or by the contract. */
  expectStart(start: Start): void {
    const { lines } = this.#writer
    if (start.from === "end" || start.from === "last") {
      this.#began = this.#log.written
      this.#blind = this.#writer.whole <= this.#began - (this.#rules.slack ?? this.#began)
    }
    if (start.from === "beginning") this.expect(this.#held)
    else if (start.from === "end") this.expect(lines.length)
    else if (start.from === "last") {
      this.expect(Math.max(0, lines.length - start.lines), lines.length)
    } else if (start.from === "time") {
      const since = shift(start.after, 1n)
      this.#oldest = shift(start.after, -2_000_000_000n)
      const first = lines.findIndex(({ time }, number) => number >= this.#held && time >= since)
      const from = first < 0 ? lines.length : first
      this.#due = { from, to: from, since, known: false }
    }
  }

  /** The read has begun somewhere between when it was asked for and now. */
  began(start: Start): void {
    if (start.from !== "end" && start.from !== "last") return
    const { from, to } = this.#due ?? { from: 0, to: 0 }
    const blind = this.#blind
    this.expectStart({ from: "end" })
    this.#blind ||= blind
    this.expect(from, Math.max(to, this.#due?.to ?? 0))
  }

  /** A read from the end may begin at it, too, which was reached a moment after it was asked for. */
  expectEnd(): void {
    const { length } = this.#writer.lines
    this.expect(Math.min(this.#due?.from ?? length, length), length)
  }

  /** What comes first may be any line that is there, one older than `whole` even without its head. */
  expectAny(whole: Instant): void {
    const to = Math.max(this.#due?.to ?? 0, this.#writer.lines.length)
    this.#due = { ...this.#due, from: 0, to, known: false }
    this.#oldest = whole
  }

  /** Older lines may come first, too. */
  allowOlder(): void {
    if (this.#due) this.#due = { ...this.#due, from: 0 }
  }

  /** Every line that is there now may come first, or be left out. */
  allowAny(): void {
    const to = Math.max(this.#due?.to ?? 0, this.#writer.lines.length)
    if (this.#due) this.#due = { ...this.#due, from: 0, to }
  }

  /** How many wanted lines were written. */
  count(): number {
    return this.#writer.lines.filter((line) => this.#rules.wanted?.(line) ?? true).length
  }

  get mark(): Mark {
    return { due: this.#due, torn: this.torn.length }
  }

  /** What came behind the mark never came. */
  goBack({ due, torn }: Mark): void {
    this.#due = due
    this.torn.length = torn
  }

  /** Throws when a line is lost or doubled in silence. */
  accept({ gap, lines }: Pick<Batch, "gap" | "lines">): void {
    if (gap) this.#jump(gap)
    for (const line of lines) this.take(line)
  }

  take({ message, stream, timestamp }: Line, cut?: Instant): void {
    if (cut && timestamp > cut) throw new Error(`a line came from behind the cut: ${message}`)
    this.lines++
    if (this.#writer.torn.some((torn) => torn.message.endsWith(message))) {
      if (this.torn.includes(message)) throw new Error(`a torn line came twice: ${message}`)
      this.torn.push(message)
      return
    }
    const { lines } = this.#writer
    const number = lines.findIndex((line) => line.message.endsWith(message))
    const written = lines[number]
    if (!written) throw new Error(`a line that was never written: ${message}`)
    if (written.message !== message && !this.#log.rotated && !this.#isBegun(written)) {
      throw new Error(`a line came without its head: ${message} of ${written.message}`)
    }
    if (written.stream !== stream || written.time !== timestamp) {
      throw new Error(`line ${number} came with a wrong stream or time`)
    }
    if (this.#due && (number < this.#earliest || number > this.latest)) {
      throw new Error(`line ${number} came where ${this.#due.from} to ${this.latest} was due`)
    }
    this.#due = { from: number + 1, to: number + 1, known: true }
  }

  /** All has come that was written, or that stands before the first line stamped later than the cut. */
  finish(cut?: Instant): void {
    const { lines, torn } = this.#writer
    if (!this.#due || this.latest === lines.length) return
    const next = lines[this.latest]
    if (cut && torn.some(({ time }) => time > cut)) return
    if (cut === undefined || !next || next.time <= cut) {
      throw new Error(`the end came before line ${this.latest} of ${lines.length}`)
    }
  }

  /** Any line may come next. */
  lose(): void {
    this.gaps++
    this.torn.length = 0
    this.#due = undefined
  }

  #jump(gap: Gap): void {
    const { reason } = gap
    this.gaps++
    this.torn.length = 0
    if (!this.#log.rotated && reason !== "runtime_error") {
      throw new Error(`a gap without a reason: ${reason}`)
    }
    // What the log still holds from behind the gap's time on must come, though it may come again.
    const since = gap.from && shift(gap.from, 1n)
    const due = { from: 0, to: this.#due?.to ?? 0, since, known: false }
    this.#due = reason === "runtime_error" ? undefined : due
  }

  /** Whether the line began out of sight of a read that began at the end, or two seconds before a time. */
  #isBegun({ first, time }: Written): boolean {
    const { slack } = this.#rules
    if (time < this.#oldest) return true
    if (slack === undefined || first >= this.#began) return false
    return this.#blind || this.#writer.spread > slack
  }

  /** The first line that may come next. A torn line that is stamped late enough begins the output, too. */
  get #earliest(): number {
    const { from, since } = this.#due ?? { from: 0 }
    return since && this.#writer.torn.some(({ time }) => time >= since) ? 0 : from
  }

  /** The last line that may come next. */
  get latest(): number {
    if (!this.#due) return Number.POSITIVE_INFINITY
    const { to, since, known } = this.#due
    const { lines } = this.#writer
    const { wanted } = this.#rules
    for (let at = known ? to : Math.max(to, this.#held); at < lines.length; at++) {
      const line = lines[at]
      if (!line || line.time < (since ?? "")) continue
      if (!wanted) return at
      // Of a line whose head is out of sight, its end alone can be told.
      const isWhole = !this.#log.rotated && !this.#isBegun(line)
      if (wanted(line) && (isWhole || wanted({ ...line, message: line.tail }))) return at
    }
    return lines.length
  }

  /** The first line of which the log still holds something. */
  get #held(): number {
    const first = this.#writer.lines.findIndex(({ last }) => last >= this.#log.dropped)
    return first < 0 ? this.#writer.lines.length : first
  }
}
