/**
 * What waits for one live client, bounded in bytes. When it is full it takes no more lines: the client has
 * fallen behind, and is served from the logs again, from its cursor.
 */
import { Bell } from "../bell.ts"
import type { Entry } from "./entry.ts"
import type { GapEvent, ProblemEvent, StatusEvent } from "./events.ts"

/** An entry of a container's log, or a notice about one. */
export type Notice = StatusEvent | ProblemEvent | GapEvent
export type Item = Entry | Notice

/** What an entry costs beside its text: the object, and its place in the array. */
const ENTRY_BYTES = 200

/** A client that does not read is told of the newest so many changes, and of no older one. */
const NOTICE_LIMIT = 1_000

export class Inbox {
  readonly #limitBytes: number
  #items: Item[] = []
  #bytes = 0
  #notices = 0
  #full = false
  /** Rings when something has come, or was refused. */
  readonly bell = new Bell()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Whether an entry was refused since the last `reopen`. */
  get full(): boolean {
    return this.#full
  }

  get empty(): boolean {
    return this.#items.length === 0
  }

  /** False when there is no room: then nothing of these entries, or of later ones, is taken. */
  push(entries: readonly Entry[]): boolean {
    if (this.#full) return false
    for (const { line } of entries) this.#bytes += ENTRY_BYTES + (line?.message.length ?? 0)
    this.#full = this.#items.length > 0 && this.#bytes > this.#limitBytes
    if (!this.#full) for (const entry of entries) this.#items.push(entry)
    this.bell.ring()
    return !this.#full
  }

  notify(notice: Notice): void {
    if (++this.#notices > NOTICE_LIMIT) {
      this.#items.splice(
        this.#items.findIndex((item) => "type" in item),
        1,
      )
    }
    this.#items.push(notice)
    this.bell.ring()
  }

  /** Everything that waits. */
  take(): readonly Item[] {
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    this.#notices = 0
    return items
  }

  /** Entries are taken again. */
  reopen(): void {
    this.#full = false
  }
}
