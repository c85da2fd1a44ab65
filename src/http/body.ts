/**
 * Batches → a response's body. Pulled: nothing is read for a client that does not read, and many lines
 * go into a chunk. However the client leaves, its source is let go of, once.
 */

/** Characters that make a chunk full. One long line may make it longer. */
const CHUNK = 128 * 1024

/** A piece of a body as it goes out. */
export interface Encoded {
  readonly bytes: Uint8Array
  readonly lines: number
}

export interface BodyOptions<Item> {
  readonly source: AsyncIterator<readonly Item[] | Encoded>
  /** What has been read of the source already. */
  readonly batch?: readonly Item[]
  readonly encode: (item: Item) => string
  /** Said before the first item, at once, or when this resolves. */
  readonly first?: string
  readonly ready?: Promise<void>
  /** Said after the last item. */
  readonly last?: string
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal
  /** Of what is sent, what counts as a line; everything, if not given. */
  readonly isLine?: (item: Item) => boolean
  /** A chunk is on its way, with so many lines in it. */
  readonly onChunk?: (lines: number, bytes: number) => void
  /** The source failed behind the first byte: what is left is to cut the connection, so that it shows. */
  readonly onError?: (error: unknown) => void
  /** Called once, at the end, at a failure, or when the client leaves. */
  readonly onClose: () => void
}

export function streamBody<Item>(options: BodyOptions<Item>): ReadableStream<Uint8Array> {
  const { source, encode, last = "", signal, isLine, onChunk, onError, onClose } = options
  const encoder = new TextEncoder()
  let batch = options.batch ?? []
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
            const result = await source.next()
            signal.throwIfAborted()
            if (result.done) {
              if (last !== "") controller.enqueue(encoder.encode(last))
              close()
              controller.close()
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
          if (!closed) onError?.(error)
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
