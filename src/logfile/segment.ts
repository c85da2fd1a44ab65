/**
 * One file of a log: the one that is written to, or one that was rotated away. Opened, it stays the same file
 * whatever it is called later, and readable when it is deleted.
 */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { LogReadError } from "../records/record.ts"
import { inflate } from "./inflate.ts"

/** A FIFO must not be waited for, nor a link followed out of its place. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export class Segment implements AsyncDisposable {
  /** The same for the same file, under every name. */
  readonly id: string
  readonly #file: FileHandle

  private constructor(id: string, file: FileHandle) {
    this.id = id
    this.#file = file
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
      const stat = await file.stat()
      if (!stat.isFile()) throw new LogReadError(`${path} is not a file`)
      const id = `${stat.dev}:${stat.ino}`
      if (!path.endsWith(".gz")) return new Segment(id, file)
      const inflated = new Segment(id, await inflate(file))
      await file.close()
      return inflated
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async size(): Promise<number> {
    return (await this.#file.stat()).size
  }

  /** Up to `length` bytes from `at` on, one a char; fewer at the end. */
  async read(at: number, length: number): Promise<string> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.#file.read(buffer, 0, length, at)
    return buffer.toString("latin1", 0, bytesRead)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
