/**
 * One pass over records: seeks where to begin, leaves out what was handed over before, and makes lines that
 * know their place. Synchronous, and without any idea of where the records come from.
 */
import type { Line } from "../runtime.ts"
import type { Block } from "../records/block.ts"
import { type AssembledLine, LineAssembler, type LineRules } from "../records/lines.ts"
import type { LogRecord } from "../records/record.ts"
import type { Instant } from "../time.ts"
import { AnchorTracker, foldHashes, hashRecord } from "./anchor.ts"
import type { Base, Place } from "./place.ts"
import { PlacedBlock } from "./placed-block.ts"
import { PlacedLine } from "./placed-line.ts"
import { type Origin, Seek, type SeekState } from "./seek.ts"

export interface ScanOptions {
  /** Hand over nothing that is stamped later, up to the horizon: what is stamped behind it is old. */
  readonly until?: Instant | undefined
  /** The latest time that a line written by now can bear, if the clock is right. */
  readonly horizon: () => Instant
}

export class Scan {
  readonly #assembler: LineAssembler
  readonly #options: ScanOptions
  readonly #origin: Origin
  readonly #tracker: AnchorTracker
  readonly #seeking: Seek | undefined
  #seek: SeekState
  #base: Base
  /** Lines that ended behind the base. */
  #behind = 0
  /** Hash of the first record behind a base that is no anchor, and what it must be. */
  #head: string | undefined
  readonly #knownHead: string | undefined
  /** Lines still to be left out: a resumed place had them already. */
  #skip: number
  /** Only lines stamped later begin the output. */
  #after: Instant | undefined
  #seen = 0
  #done = false
  /** Lines that a record ended: one array for all of them. */
  readonly #ended: AssembledLine[] = []
  /** Lines from before the first place between lines, and the place to give them if it stays unknown. */
  readonly #unplaced: [PlacedLine, Place][] = []

  constructor(origin: Origin, rules: LineRules, options: ScanOptions) {
    this.#assembler = new LineAssembler(rules)
    this.#options = options
    this.#origin = origin
    this.#base = origin.at === "middle" ? { kind: "beginning" } : origin.place.base
    this.#skip = origin.at === "middle" ? 0 : origin.place.lines
    this.#behind = this.#skip
    this.#knownHead = origin.at === "place" ? origin.place.head : undefined
    this.#after = this.#base.kind === "after" ? this.#base.time : undefined
    this.#tracker = new AnchorTracker(
      origin.at === "match" || (origin.at === "place" && (!origin.window || this.#isAnchored)),
    )
    if (origin.at !== "middle" && this.#base.kind === "anchor") {
      this.#seeking = new Seek(this.#base, origin, this.#tracker)
    }
    this.#seek = this.#seeking ? "seeking" : "found"
  }

  get #isAnchored(): boolean {
    return this.#base.kind === "anchor"
  }

  /** Whether a line that has just ended stands at a place between lines, and nothing is to be left out. */
  get #isInStep(): boolean {
    const isPlaced = this.#origin.at !== "middle" || this.#isAnchored
    return isPlaced && this.#assembler.clean && this.#skip === 0 && this.#after === undefined
  }

  get seek(): SeekState {
    return this.#seek
  }

  /** Whether the cut was reached: the rest is not wanted. */
  get done(): boolean {
    return this.#done
  }

  /** Whether no line is half read. */
  get clean(): boolean {
    return this.#assembler.clean
  }

  /** Records seen, those passed over included. */
  get seen(): number {
    return this.#seen
  }

  /** The place behind the last line that was handed over or passed over. */
  get place(): Place {
    const isBare = this.#isAnchored || this.#behind === 0
    const head = isBare ? undefined : (this.#head ?? this.#knownHead)
    const [base, lines] = [this.#base, this.#behind]
    return head === undefined ? { base, lines } : { base, lines, head }
  }

  push(records: readonly LogRecord[]): Line[] {
    const lines: Line[] = []
    for (const record of records) {
      this.#seen++
      if (this.#seek === "seeking") this.#search(record)
      else if (this.#seek === "found" && !this.#done) this.#take(record, lines)
    }
    return lines
  }

  /** Whether a block may be passed on as it is: each of its lines is one record, and none is to be left out. */
  isInStepWith(block: Block): boolean {
    const { until } = this.#options
    const isFound = this.#seek === "found" && !this.#done && this.#isInStep
    // Its records are counted from what came before it, if that can be; the very first tells where the log begins.
    const isCounted = isFound && this.#tracker.countOf(block.timestamp(0)) !== undefined
    if (!isCounted) return false
    return until === undefined || block.latest <= until
  }

  /** A block with which it is in step. */
  pass(block: Block): PlacedBlock {
    const placed = new PlacedBlock(block, this.#tracker.fork())
    const { length } = block
    this.#seen += length
    for (let index = block.latestAt; index < length; index++)
      this.#tracker.push(block.record(index))
    this.#settle()
    return placed
  }

  /** All has been read. Only now it shows whether the read began at the log's first record. */
  finish(sawWholeLog: boolean): void {
    if (this.#seek !== "found") return
    const anchor = this.#tracker.anchor
    if (sawWholeLog) {
      this.#tracker.trust()
      if (this.#isAnchored && this.#assembler.clean && !this.#done) this.#settle()
    } else if (this.#origin.at === "middle") {
      // No place between two lines had been seen, and what came before cannot be read again from here.
      for (const [line, torn] of this.#unplaced) line.place = torn
      if (!this.#isAnchored && anchor) this.#settle()
    }
  }

  /** The log holds no more for now. Had it held less than was handed over before, the place is lost. */
  pause(): void {
    if (this.#seek !== "found" || this.#done) return
    if (this.#skip > 0) this.#seek = "lost"
    else if (this.#after !== undefined && this.#assembler.clean && this.#tracker.anchor) {
      this.#after = undefined
      this.#settle()
    }
  }

  /** The container has stopped, or had: a line without an end is a line. */
  end(): Line[] {
    const lines: Line[] = []
    if (this.#seek !== "found" || this.#done) return lines
    const ended: AssembledLine[] = []
    this.#assembler.end(ended)
    if (ended.some(this.#isBehindCut)) {
      this.#done = true
      return lines
    }
    for (const line of ended) this.#emit(line, lines)
    this.#settle()
    const last = lines.at(-1)
    if (last instanceof PlacedLine) last.place = this.place
    return lines
  }

  #search(record: LogRecord): void {
    this.#seek = this.#seeking?.push(record) ?? "found"
    if (this.#seek === "found") this.#settle()
  }

  #settle(): void {
    this.#base = this.#tracker.anchor ?? this.#base
    this.#behind = this.#skip
  }

  #take(record: LogRecord, out: Line[]): void {
    if (record.opensRun && !this.#assembler.clean) {
      out.push(...this.end())
      if (this.#done) return
    }
    if (this.#head === undefined && record.timestamp > (this.#after ?? "")) {
      this.#head = foldHashes([{ hash: hashRecord(record) }])
      if (this.#knownHead !== undefined && this.#knownHead !== this.#head) {
        this.#seek = "lost"
        return
      }
    }
    const ended = this.#ended
    ended.length = 0
    this.#assembler.push(record, ended)
    if (ended.some(this.#isBehindCut)) {
      this.#done = true
      return
    }
    this.#tracker.push(record)
    const [only] = ended
    if (only && ended.length === 1 && this.#isInStep) {
      // Most records are a line each: its place is written down once, and not before the record that ends it.
      this.#settle()
      out.push(new PlacedLine(only, this.place))
      return
    }
    for (const line of ended) this.#emit(line, out)
    // Before the first line that is late enough, the time says where to begin, and nothing else does.
    if (!this.#assembler.clean || this.#after !== undefined) return
    if (this.#skip > 0) {
      // Lines are left out only behind a line half read: this is not what stood at the place.
      this.#seek = "lost"
      return
    }
    this.#settle()
    // The line that closed the record is the one that the new base stands behind.
    const last = out.at(-1)
    if (ended.length > 0 && last instanceof PlacedLine) last.place = this.place
  }

  #emit(line: AssembledLine, out: Line[]): void {
    if (this.#after !== undefined) {
      if (line.timestamp <= this.#after) return
      this.#after = undefined
    }
    if (this.#skip > 0) {
      this.#skip--
      return
    }
    this.#behind++
    const placed = new PlacedLine(line, this.place)
    out.push(placed)
    if (this.#origin.at !== "middle" || this.#isAnchored) return
    const anchor = this.#tracker.anchor
    if (anchor) this.#unplaced.push([placed, { base: anchor, lines: 0 }])
  }

  readonly #isBehindCut = ({ timestamp }: AssembledLine): boolean => {
    const { until, horizon } = this.#options
    return until !== undefined && timestamp > until && timestamp <= horizon()
  }
}
