/** Records → lines: joins the parts of a line, each stream for itself. */
import type { StreamName } from "../runtime.ts"
import type { Instant } from "../time.ts"
import { decodeUtf8, type LogRecord, unfinishedUtf8 } from "./record.ts"

export interface AssembledLine {
  readonly stream: StreamName
  readonly timestamp: Instant
  readonly message: string
  readonly partial: boolean
}

export interface LineRules {
  /**
   * The size at which the runtime cuts lines. A shorter record without a line feed ends its line: the
   * stream was closed behind it. Absent where parts of any size are normal.
   */
  readonly partBytes?: number
  /** Whether all parts of a line bear the same time, so that another time begins another line. */
  readonly partsShareTime: boolean
  /** A terminal ends its lines with CR LF. */
  readonly crlf: boolean
  /** A line longer than this is handed over in pieces. */
  readonly limitBytes: number
}

interface Pending {
  readonly timestamp: Instant
  parts: string
}

export class LineAssembler {
  readonly #rules: LineRules
  readonly #pending = new Map<StreamName, Pending>()

  constructor(rules: LineRules) {
    this.#rules = rules
  }

  /** Whether no line is half read: what follows can be understood without what came before. */
  get clean(): boolean {
    return this.#pending.size === 0
  }

  /** Adds the lines that the record ends to `lines`. */
  push(record: LogRecord, lines: AssembledLine[]): void {
    let pending = this.#pending.get(record.stream)
    if (pending && this.#rules.partsShareTime && pending.timestamp !== record.timestamp) {
      this.#end(record.stream, pending, lines)
      pending = undefined
    }
    if (!pending) {
      if (this.#endsLine(record)) {
        lines.push(this.#line(record.stream, record.timestamp, record.text, false))
        return
      }
      pending = { timestamp: record.timestamp, parts: "" }
      this.#pending.set(record.stream, pending)
    }
    pending.parts += record.text
    if (this.#endsLine(record)) this.#end(record.stream, pending, lines)
    else if (pending.parts.length >= this.#rules.limitBytes) {
      const cut = pending.parts.length - unfinishedUtf8(pending.parts)
      lines.push(this.#line(record.stream, pending.timestamp, pending.parts.slice(0, cut), true))
      pending.parts = pending.parts.slice(cut)
    }
  }

  /** The log is over, and so are its lines. */
  end(lines: AssembledLine[]): void {
    for (const [stream, pending] of this.#pending) this.#end(stream, pending, lines)
  }

  #endsLine(record: LogRecord): boolean {
    const { partBytes } = this.#rules
    return record.ended || (partBytes !== undefined && record.text.length < partBytes)
  }

  #end(stream: StreamName, pending: Pending, lines: AssembledLine[]): void {
    this.#pending.delete(stream)
    lines.push(this.#line(stream, pending.timestamp, pending.parts, false))
  }

  #line(stream: StreamName, timestamp: Instant, bytes: string, partial: boolean): AssembledLine {
    const text = this.#rules.crlf && bytes.endsWith("\r") ? bytes.slice(0, -1) : bytes
    return { stream, timestamp, message: decodeUtf8(text), partial }
  }
}
