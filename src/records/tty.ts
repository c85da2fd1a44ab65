/**
 * The log body of a container with a terminal: no frames, one stream, `<time> <text>\n` a record.
 *
 * A line of more than 16 KiB is several records with the same time and nothing between them but that
 * time, written again. It is looked for where a part can end; a program cannot forge it, for it would have
 * to know the nanosecond at which the engine will have stamped its line.
 */
import { LogReadError, type LogRecord, readStamp } from "./record.ts"

/** A part holds so many bytes, or more where the engine replaced bytes that are not UTF-8. */
const PART = 16_384

/** No engine writes a longer record; without this bound a lying one could fill the memory. */
const LIMIT = 1_048_576

export class TtyDecoder {
  /** Head of a record whose end has not come. */
  #rest = ""
  /** A look before so much has come would find nothing new, but for a line feed. */
  #needed = 0

  push(bytes: string, records: LogRecord[]): void {
    this.#rest += bytes
    if (this.#rest.length < this.#needed && !bytes.includes("\n")) return
    const text = this.#rest
    let at = 0
    for (let feed = text.indexOf("\n"); feed >= 0; feed = text.indexOf("\n", at)) {
      const tail = takeParts(text.slice(at, feed), records)
      records.push(toRecord(tail, true))
      at = feed + 1
    }
    this.#rest = takeParts(text.slice(at), records)
    if (this.#rest.length > LIMIT) throw new LogReadError("a log record has no end")
    this.#needed = this.#rest.length + PART
  }

  /** The body is over: what is left is a line without an end. */
  end(records: LogRecord[]): void {
    if (this.#rest !== "") records.push(toRecord(this.#rest, false))
    this.#rest = ""
  }
}

/** Moves the parts that stand whole in `line` to `records`, and returns the rest. */
function takeParts(line: string, records: LogRecord[]): string {
  let rest = line
  while (rest.length > PART) {
    const { timestamp, text } = readStamp(rest)
    const next = rest.indexOf(`${timestamp} `, text + PART)
    if (next < 0) break
    records.push(toRecord(rest.slice(0, next), false))
    rest = rest.slice(next)
  }
  return rest
}

function toRecord(line: string, ended: boolean): LogRecord {
  const { timestamp, text } = readStamp(line)
  return {
    stream: "stdout",
    timestamp,
    text: line.slice(text),
    ended,
  }
}
