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
  let closed = false

  const close = () => {
    if (closed) return
    closed = true
    signal.removeEventListener("abort", close)
    onClose()
    // Not awaited: a source that waits for lines answers only once its own signal has reached it.
    source.return?.().catch(() => {})
  }

  /**
   * A chunk of a batch: its items from `from` on, up to `to`. No generator: the JavaScript engine would optimize that
   * anew for as long as it runs.
   */
  const encodeFrom = (batch: readonly Item[], from: number): Encoded & { readonly to: number } => {
    let text = ""
    let lines = 0
    let to = from
    while (text.length < CHUNK && to < batch.length) {
      const item = batch[to++] as Item
      text += encode(item)
      if (isLine?.(item) ?? true) lines++
    }
    return { bytes: encoder.encode(text), lines, to }
  }

  if (signal.aborted) close()
  else signal.addEventListener("abort", close)

  return new ReadableStream<Uint8Array>({
    type: "direct",
    async pull(controller) {
      /** Resolves when the client has room for more. The bytes have been taken before: to the socket, or as a copy. */
      const send = async (bytes: Uint8Array) => {
        await controller.write(bytes)
        await controller.flush()
      }
      const sendChunk = ({ bytes, lines }: Encoded) => {
        onChunk?.(lines, bytes.byteLength)
        return send(bytes)
      }
      const end = async (words: string) => {
        if (words !== "") await send(encoder.encode(words))
        close()
        await controller.end()
      }
      try {
        await options.ready
        if (options.first !== undefined) await send(encoder.encode(options.first))
        for (let result = options.begun ?? (await source.next()); ; result = await source.next()) {
          signal.throwIfAborted()
          if (result.done) return await end(last())
          const { value } = result
          if ("bytes" in value) await sendChunk(value)
          else {
            for (let from = 0; from < value.length;) {
              const chunk = encodeFrom(value, from)
              from = chunk.to
              await sendChunk(chunk)
            }
          }
        }
      } catch (error) {
        const words = closed ? "" : last(error)
        if (words !== "") return await end(words)
        close()
        // Any other error would be printed by the server, with a piece of this source.
        throw new DOMException("the logs could not be read on", "AbortError")
      }
    },
    cancel: close,
  })
}
