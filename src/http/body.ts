/**
 * Batches → a response's body. Pulled: nothing is read for a client that does not read, and many lines
 * go into a chunk. However the client leaves, its source is let go of, once.
 */
import { CHUNK, type Encoded } from "../stream/chunk.ts"

export interface BodyOptions<Item> {
  readonly source: AsyncIterator<readonly Item[] | Encoded>
  /** What has been read of the source already. */
  readonly begun?: IteratorResult<readonly Item[] | Encoded, unknown>
  readonly encode: (item: Item) => string
  /** Said before the first item, at once, or when this resolves. */
  readonly first?: string
  readonly ready?: Promise<void>
  /**
   * Said after the last item, or behind a failure of the source: a failure of which there is nothing to say cuts the
   * connection, so that it shows.
   */
  readonly last?: (error?: unknown) => string
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal
  /** Of what is sent, what counts as a line; everything, if not given. */
  readonly isLine?: (item: Item) => boolean
  /** A chunk is on its way, with so many lines in it. */
  readonly onChunk?: (lines: number, bytes: number) => void
  /** Called once, at the end, at a failure, or when the client leaves. */
  readonly onClose: () => void
}

const encoder = new TextEncoder()

export function streamBody<Item>(options: BodyOptions<Item>): ReadableStream<Uint8Array> {
  const { source, encode, last = () => "", signal, isLine, onChunk, onClose } = options
  let { begun } = options
  let batch: readonly Item[] = []
  let next = 0
  let closed = false

  const close = () => {
    if (closed) return
    closed = true
    signal.removeEventListener("abort", close)
    onClose()
    // Not awaited: a source that waits for lines answers only once its own signal has reached it.
    source.return?.().catch(() => {})
  }

  const end = (controller: ReadableStreamDefaultController<Uint8Array>, words: string) => {
    if (words !== "") controller.enqueue(encoder.encode(words))
    close()
    controller.close()
  }

  return new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        if (signal.aborted) close()
        else signal.addEventListener("abort", close)
        await options.ready
        if (options.first !== undefined) controller.enqueue(encoder.encode(options.first))
      },
      async pull(controller) {
        try {
          while (next === batch.length) {
            const result = begun ?? (await source.next())
            begun = undefined
            signal.throwIfAborted()
            if (result.done) {
              end(controller, last())
              return
            }
            if ("bytes" in result.value) {
              const { bytes, lines } = result.value
              onChunk?.(lines, bytes.byteLength)
              controller.enqueue(bytes)
              return
            }
            batch = result.value
            next = 0
          }
          let text = ""
          let lines = 0
          while (text.length < CHUNK && next < batch.length) {
            const item = batch[next++] as Item
            text += encode(item)
            if (isLine?.(item) ?? true) lines++
          }
          const chunk = encoder.encode(text)
          onChunk?.(lines, chunk.byteLength)
          controller.enqueue(chunk)
        } catch (error) {
          const words = closed ? "" : last(error)
          if (words !== "") return end(controller, words)
          close()
          // Any other error would be printed by the server, with a piece of this source.
          controller.error(new DOMException("the logs could not be read on", "AbortError"))
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}
