/**
 * One file of a log: the one that is written to, or one that was rotated away. Opened, it stays the same file
 * whatever it is called later, and readable when it is deleted.
 */
import { type BigIntStats, constants, fstatSync, readSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { LogReadError } from "../records/record.ts"
import { type Instant, toInstant } from "../time.ts"
import { inflate } from "./inflate.ts"
import { isLocal } from "./local.ts"

/** A FIFO must not be waited for, nor a link followed out of its place. */
export const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export class Segment implements AsyncDisposable {
  /** The same for the same file, under every name. */
  readonly id: string
  /** When it was made; 1970 where the file system does not know. */
  readonly bornAt: Instant
  #file: FileHandle
  /** Until somebody reads it: a log of years is not unpacked for its last lines. */
  #isPacked: boolean
  #local: boolean | undefined

  private constructor(id: string, bornAt: Instant, file: FileHandle, isPacked: boolean) {
    this.id = id
    this.bornAt = bornAt
    this.#file = file
    this.#isPacked = isPacked
  }

  /** `undefined`: there is no such file, or no more. Throws `LogReadError` for what is no file. */
  static async open(path: string): Promise<Segment | undefined> {
    let file: FileHandle
    try {
      file = await open(path, FLAGS)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw new LogReadError(`a log file cannot be opened: ${(error as Error).message}`)
    }
    try {
      const stat = await file.stat({ bigint: true })
      if (!stat.isFile()) throw new LogReadError(`${path} is not a file`)
      const id = `${stat.dev}:${stat.ino}`
      const bornAt = toInstant(stat.birthtimeNs)
      return new Segment(id, bornAt, file, path.endsWith(".gz"))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Whether it would have to be unpacked to be read. */
  get isPacked(): boolean {
    return this.#isPacked
  }

  /** `isNew`, here and below: what is asked for is in memory, if the file is on this host, so that no thread need be asked. */
  async size(isNew = false): Promise<number> {
    await this.#unpack()
    if (isNew && (await this.#isLocal())) return fstatSync(this.#file.fd).size
    return (await this.#file.stat()).size
  }

  async stat(): Promise<BigIntStats> {
    return await this.#file.stat({ bigint: true })
  }

  /** Fills a buffer with the bytes from `at` on; how many there were. */
  async fill(buffer: Buffer, at: number, isNew = false): Promise<number> {
    await this.#unpack()
    if (isNew && (await this.#isLocal()))
      return readSync(this.#file.fd, buffer, 0, buffer.length, at)
    return (await this.#file.read(buffer, 0, buffer.length, at)).bytesRead
  }

  /** Up to `length` bytes from `at` on, one a char; fewer at the end. */
  async read(at: number, length: number, isNew = false): Promise<string> {
    const buffer = Buffer.allocUnsafe(length)
    return buffer.toString("latin1", 0, await this.fill(buffer, at, isNew))
  }

  async #isLocal(): Promise<boolean> {
    return (this.#local ??= await isLocal(this.#file.fd))
  }

  async #unpack(): Promise<void> {
    if (!this.#isPacked) return
    const packed = this.#file
    this.#file = await inflate(packed)
    this.#isPacked = false
    await packed.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
