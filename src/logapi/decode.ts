/** A response body → records, as they come. */
import type { Readable } from "node:stream"
import type { Records } from "../records/block.ts"
import { FrameBlocks } from "../records/frame-blocks.ts"
import { FrameDecoder } from "../records/frames.ts"
import type { LogRecord } from "../records/record.ts"
import { TtyDecoder } from "../records/tty.ts"
import { readBytes } from "./chunks.ts"
import type { RecordRequest } from "./source.ts"

/** Throws `LogReadError`; what came whole before it has been added by then. */
interface Decoder {
  push(bytes: Buffer, records: Records[]): void
  /** The body is over. */
  end(records: Records[]): void
}

/** Frames as the engines send them. In blocks only where much comes at once. */
export function framesOf({ follow, tail }: RecordRequest): Decoder {
  return follow || tail !== undefined ? new InText(new FrameDecoder()) : new FrameBlocks()
}

/** What comes from a terminal is in no frames. */
export function ttyOf(): Decoder {
  return new InText(new TtyDecoder())
}

/** Ends when the body has ended or the signal is aborted. Throws `LogReadError` behind what came before it. */
export async function* decodeBody(
  body: Readable,
  decoder: Decoder,
  signal: AbortSignal,
): AsyncGenerator<Records, void> {
  for await (const bytes of readBytes(body, signal, decoder instanceof FrameBlocks)) {
    yield* decode((records) => decoder.push(bytes, records))
  }
  if (!signal.aborted) yield* decode((records) => decoder.end(records))
}

function* decode(work: (records: Records[]) => void): Generator<Records, void> {
  const records: Records[] = []
  let failure: unknown
  try {
    work(records)
  } catch (error) {
    failure = error
  }
  for (const some of records) if (some.length > 0) yield some
  if (failure) throw failure
}

/** For decoders that take one char a byte. */
class InText implements Decoder {
  readonly #decoder: FrameDecoder | TtyDecoder

  constructor(decoder: FrameDecoder | TtyDecoder) {
    this.#decoder = decoder
  }

  push(bytes: Buffer, records: Records[]): void {
    const some: LogRecord[] = []
    records.push(some)
    this.#decoder.push(bytes.toString("latin1"), some)
  }

  end(records: Records[]): void {
    const some: LogRecord[] = []
    records.push(some)
    this.#decoder.end(some)
  }
}
