/**
 * The cursor: a position in an app's logs, as one word that an SSE id, a header and a URL can carry.
 *
 *     v1.<opened>.<container><position>.<container><position>…
 *
 * `opened` is the instant (nanoseconds, base 36) that stands for every container not named: one created
 * later is read from its first line, an older one from that instant on. `container` is the first 12 hex
 * digits of its id. It is untrusted input: a container in it is only ever looked up among the app's own.
 */
import { POSITION } from "../runtime.ts"
import { type Instant, toInstant, toNanoseconds } from "../time.ts"

export interface Cursor {
  readonly opened: Instant
  /** Position by the first 12 digits of the container's id. */
  readonly positions: ReadonlyMap<string, string>
}

/** Longer ones do not fit into the header lines that proxies and servers let through. */
export const CURSOR_LIMIT = 6_144

const KEY = /^[0-9a-f]{12}$/

export function containerKey(id: string): string {
  return id.slice(0, 12)
}

export function formatCursor({ opened, positions }: Cursor): string {
  return formatPositions(formatOpened(opened), positions)
}

function formatOpened(opened: Instant): string {
  return `v1.${toNanoseconds(opened).toString(36)}`
}

function formatPositions(opened: string, positions: ReadonlyMap<string, string>): string {
  let text = opened
  for (const [key, position] of positions) text += `.${key}${position}`
  return text
}

/** `undefined` for anything that `formatCursor` could not have made. */
export function parseCursor(text: string): Cursor | undefined {
  return text.length > CURSOR_LIMIT ? undefined : read(text)
}

/** Of a cursor that was made here, however long it is. */
export function readCursor(text: string): Cursor {
  const cursor = read(text)
  if (!cursor) throw new Error("a cursor that was made here is none")
  return cursor
}

function read(text: string): Cursor | undefined {
  const [version, opened = "", ...segments] = text.split(".")
  if (version !== "v1" || !/^[0-9a-z]{1,14}$/.test(opened)) return undefined
  const positions = new Map<string, string>()
  for (const segment of segments) {
    const key = segment.slice(0, 12)
    const position = segment.slice(12)
    if (!KEY.test(key) || !POSITION.test(position) || positions.has(key)) return undefined
    positions.set(key, position)
  }
  return { opened: toInstant(parseBase36(opened)), positions }
}

function parseBase36(digits: string): bigint {
  let value = 0n
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}

/** What stands in a cursor before and behind the position of the container that moves. */
export interface CursorAround {
  readonly before: string
  readonly behind: string
}

/** The cursor of a client that moves on, line by line. */
export class MovingCursor {
  readonly opened: Instant
  readonly #opened: string
  readonly #positions: Map<string, string>
  /** The container that moved last, its position, and what stands before and behind that. */
  #moving = ""
  #position = ""
  #before = ""
  #behind = ""

  constructor({ opened, positions }: Cursor) {
    this.opened = opened
    this.#opened = formatOpened(opened)
    this.#positions = new Map(positions)
    this.#around("")
  }

  position(id: string): string | undefined {
    return id === this.#moving ? this.#position : this.#positions.get(containerKey(id))
  }

  move(id: string, position: string): void {
    if (id !== this.#moving) this.#around(id)
    this.#position = position
  }

  /** What stays in the cursor while that container moves. */
  around(id: string): CursorAround {
    if (id !== this.#moving) this.#around(id)
    return { before: this.#before, behind: this.#behind }
  }

  /** A container that is gone needs no position. One that comes back from another app has none. */
  forget(id: string): void {
    this.#around("")
    this.#positions.delete(containerKey(id))
    this.#around("")
  }

  /** Forgets all containers but these. */
  retain(ids: readonly string[]): void {
    const keys = new Set(ids.map(containerKey))
    this.#around("")
    for (const key of this.#positions.keys()) if (!keys.has(key)) this.#positions.delete(key)
    this.#around("")
  }

  /** The cursor. There is one with every line, so it is pasted together from what has not moved. */
  get text(): string {
    return this.#before + this.#position + this.#behind
  }

  /** From now on this container moves; none, if empty. */
  #around(id: string): void {
    const positions = this.#positions
    if (this.#moving !== "") positions.set(containerKey(this.#moving), this.#position)
    const key = containerKey(id)
    if (id !== "" && !positions.has(key)) positions.set(key, "")
    this.#moving = id
    this.#position = positions.get(key) ?? ""
    this.#before = this.#opened
    this.#behind = ""
    let isBefore = true
    // Pasted together, and not cut out of the whole: merged logs change from line to line.
    for (const [each, position] of positions) {
      if (each === key) {
        this.#before += `.${key}`
        isBefore = false
      } else if (isBefore) this.#before += `.${each}${position}`
      else this.#behind += `.${each}${position}`
    }
  }
}
