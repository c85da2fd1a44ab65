/** A rotated file that was compressed, as a file that can be read from anywhere. */
import { mkdtemp, open, type FileHandle, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { LogReadError } from "../records/record.ts"

/** The inflated copy has no name any more: it is gone when it is closed, or the process ends. */
export async function inflate(file: FileHandle): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), "applogs-"))
  try {
    const copy = await open(join(directory, "log"), "wx+", 0o600)
    try {
      await pipeline(read(file), createGunzip(), async (inflated) => {
        for await (const bytes of inflated as AsyncIterable<Uint8Array>) await copy.write(bytes)
      })
      return copy
    } catch (error) {
      await copy.close()
      throw new LogReadError(`a compressed log file cannot be read: ${(error as Error).message}`)
    }
  } finally {
    await rm(directory, { recursive: true })
  }
}

const CHUNK = 262_144

async function* read(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
