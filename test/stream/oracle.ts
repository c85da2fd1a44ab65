/** What a client must get next of each container, whatever happens. */
import type { App } from "../../src/apps/app.ts"
import type { Gap, Line } from "../../src/runtime.ts"
import { containerKey, type Cursor } from "../../src/stream/cursor.ts"
import { isSelected, lineFilter } from "../../src/stream/filter.ts"
import type { LogQuery } from "../../src/stream/query.ts"
import { type Instant, toInstant } from "../../src/time.ts"
import { type Mark, Reception } from "../logapi/reception.ts"
import type { Box } from "./box.ts"
import { wallClock, type World } from "./world.ts"

/** For so long a container may be there before the directory learns of it. */
const LEARNING_MS = 30_000

/** From where a stream is read that is opened now. */
export interface Beginning {
  readonly cursor: Cursor | undefined
  readonly since: Instant | undefined
  readonly tail: number
  /** Whether somebody looks already: a newcomer goes along, wherever that one is. */
  readonly joins: boolean
}

export type Marks = ReadonlyMap<Box, Mark>

export class Oracle {
  readonly #world: World
  readonly #query: LogQuery
  readonly #passes: (line: Line) => boolean
  readonly #receptions = new Map<Box, Reception>()
  /** Containers that the directory had not learned of when a snapshot was taken. */
  readonly #overlooked = new Set<Box>()
  /** The time of a snapshot's last line, which stands for the positions of all that came before it. */
  #handOver: Instant | undefined

  constructor(world: World, query: LogQuery) {
    this.#world = world
    this.#query = query
    this.#passes = lineFilter(query)
  }

  /** The client knows nothing any more. */
  clear(): void {
    this.#receptions.clear()
    this.#overlooked.clear()
    this.#handOver = undefined
  }

  get handOver(): Instant | undefined {
    return this.#handOver
  }

  /** Throws when it is not what was due, or not wanted. */
  take(id: string, line: Line): void {
    if (!this.#passes(line)) throw new Error(`a line that is not wanted: ${line.message}`)
    this.#find(id).take(line)
  }

  jump(id: string, gap: Gap): void {
    const isRemoved = this.#world.boxes.some((box) => box.id === id && box.removed)
    // Its log is gone: of what came last, the ring may still have a part.
    if (isRemoved && gap.reason === "rotated") this.#find(id).lose()
    else this.#find(id).accept({ gap, lines: [] })
  }

  /** A container was created while the client looked: it comes from its first line. */
  create(box: Box): void {
    this.#of(box).expect(0)
  }

  get marks(): Marks {
    return new Map([...this.#receptions].map(([box, reception]) => [box, reception.mark]))
  }

  /** What came behind the marks never came. */
  goBack(marks: Marks): void {
    for (const [box, reception] of this.#receptions) {
      const mark = marks.get(box)
      if (mark) reception.goBack(mark)
      else reception.expect(0)
    }
  }

  open({ cursor, since, tail, joins }: Beginning): void {
    const opened = cursor?.opened ?? since ?? wallClock()
    const isFresh = !cursor && !since
    for (const box of this.#world.boxes) {
      const reception = this.#of(box)
      const isPlaced = cursor?.positions.has(containerKey(box.id)) === true
      if (isPlaced || reception.known) {
        const isGiven = isPlaced || box.removed || opened === this.#handOver
        if (cursor && !isGiven) throw new Error("a position was forgotten")
      } else if (this.#isYoung(box, opened) || (cursor && this.#isOverlooked(box))) {
        reception.expect(0)
      } else reception.expectStart({ from: "time", after: opened })
      if (joins && isFresh && tail === 0) reception.allowAny()
      else if (isFresh && !this.#world.down && this.#isKnown(box)) reception.expectEnd()
      if (joins && !reception.known && !this.#isKnown(box)) reception.allowOlder()
      // One that comes into sight later is read from the first of the last lines on.
      if (isFresh && tail > 0) reception.expectAny(opened)
    }
  }

  /** How many lines the last so many are, if that can be told. */
  count(tail: number): number | undefined {
    if (this.#world.down) return undefined
    let lines = 0
    for (const box of this.#world.boxes) {
      if (!this.#isKnown(box) || box.removed) continue
      if (box.log.rotated || box.writer.torn.length > 0) return undefined
      lines += this.#of(box).count()
    }
    return Math.min(lines, tail)
  }

  /** What is taken now is a snapshot, until the returned function is called with its last line's time. */
  snapshot(app: App): (since: Instant | undefined) => void {
    this.clear()
    const there = new Map(this.#world.boxes.map((box) => [box, box.writer.lines.length]))
    for (const box of there.keys()) this.#of(box).expect(0, Number.MAX_SAFE_INTEGER)
    return (since) => {
      this.#handOver = since
      for (const [box, atStart] of there) {
        const reception = this.#of(box)
        if (!app.members.some(({ container }) => container.id === box.id)) this.#overlooked.add(box)
        else if (!reception.known) reception.expect(atStart, box.writer.lines.length)
        // Whatever could be read when it began is in it, or left out before its first line.
        else if (reception.latest < atStart) {
          throw new Error(`the snapshot ends before line ${reception.latest} of ${atStart}`)
        }
      }
    }
  }

  /** All has come that containers have said which are still there. */
  finish(): void {
    for (const [box, reception] of this.#receptions) if (!box.removed) reception.finish()
  }

  #isKnown({ id }: Box): boolean {
    return this.#world.app().members.some(({ container }) => container.id === id)
  }

  #isYoung({ createdAt }: Box, opened: Instant): boolean {
    return toInstant(BigInt(createdAt)) >= opened
  }

  #isOverlooked(box: Box): boolean {
    const ageMs = Date.now() - box.createdAt / 1_000_000
    return this.#handOver === undefined && this.#overlooked.has(box) && ageMs < LEARNING_MS
  }

  #find(id: string): Reception {
    const box = this.#world.boxes.find((one) => one.id === id)
    if (!box) throw new Error(`a container that never was: ${id}`)
    return this.#of(box)
  }

  #of(box: Box): Reception {
    const known = this.#receptions.get(box)
    if (known) return known
    const isWanted = isSelected(this.#query, box.member)
    const reception = new Reception(box.log, box.writer, {
      wanted: (line) => isWanted && this.#passes({ ...line, timestamp: wallClock(), position: "" }),
    })
    this.#receptions.set(box, reception)
    return reception
  }
}
