/**
 * A strict reader of Server-Sent Events. The standard forgives nearly everything; this takes only what
 * the contract promises, so that nothing else can come unnoticed.
 */

export interface SseEvent {
  readonly id: string
  readonly type: string
  /** As it stood there: the JSON text. */
  readonly data: string
}

const EVENT =
  /^id: ([A-Za-z0-9._-]+)\nevent: ([a-z]+)\ndata: (\{[^\n]*\})(\nretry: [1-4][0-9]{3})?$/
const HELLO = ": connected\nretry: 2000"

export class SseReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  #rest = ""
  #greeted = false

  /** The events that these bytes end. Throws for whatever is not as promised. */
  push(bytes: Uint8Array): SseEvent[] {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n\n")
    this.#rest = blocks.pop() ?? ""
    const events: SseEvent[] = []
    for (const block of blocks) {
      if (!this.#greeted) {
        if (block !== HELLO) throw new Error(`not the first words: ${JSON.stringify(block)}`)
        this.#greeted = true
        continue
      }
      const match = block.includes("\r") ? null : EVENT.exec(block)
      if (!match) throw new Error(`not an event: ${JSON.stringify(block.slice(0, 500))}`)
      const [, id = "", type = "", data = "", retry] = match
      // Clients whose streams were ended do not all come back at once.
      const isToComeBack = type === "end" && data.includes('"retryable":true')
      if (isToComeBack !== (retry !== undefined)) throw new Error(`not an end: ${block}`)
      events.push({ id, type, data })
    }
    return events
  }

  /** What has come of an event that is not whole. */
  get rest(): string {
    return this.#rest
  }
}
