/** Many clients of one stream, in a process of their own: what they cost is not what the server costs. */
import { join } from "node:path"
import { signalProcess, until } from "../real/sandbox.ts"

const PROGRAM = join(import.meta.dir, "crowd-process.ts")

/** A process that does not answer for so long has died or is starved. */
const ANSWER_MS = 60_000

export interface CrowdOptions {
  /** The Unix socket to connect to. */
  readonly socket: string
  /** Method, target and version, as they stand in the request. */
  readonly request: string
  readonly clients: number
  /** How many lines will come, numbered from 1. */
  readonly lines: number
}

/** What the clients have seen so far, all together. */
export interface Figures {
  /** Streams that have been opened, and those of them that have ended. */
  readonly opened: number
  readonly ended: number
  /** Streams that were not opened, and why the first of them was not. */
  readonly refused: number
  readonly refusal: string
  /** Lines that have come. */
  readonly count: number
  /** Lines that have not come, though later ones have; and those before the first that came. */
  readonly lost: number
  readonly missedFirst: number
  readonly doubled: number
  readonly reordered: number
  /** Clients that have all the lines, each once and in order. */
  readonly complete: number
  /** The last line of the client that is furthest behind. */
  readonly behind: number
  /** Of the lines since they were last asked for afresh, in milliseconds. */
  readonly delays: { readonly p50: number; readonly p99: number; readonly most: number }
  /** From the first to the last of the lines that came, by their stamps: what the writer took. */
  readonly writtenMs: number
}

export class Crowd implements AsyncDisposable {
  readonly #child: Bun.Subprocess
  #answer: PromiseWithResolvers<Figures> | undefined

  private constructor(options: CrowdOptions) {
    this.#child = Bun.spawn([process.execPath, PROGRAM, JSON.stringify(options)], {
      env: { PATH: process.env["PATH"] ?? "" },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: (figures) => this.#answer?.resolve(figures as Figures),
    })
  }

  /** Resolves once all streams are open or refused, or when the time is over; then with fewer. */
  static async open(options: CrowdOptions, timeoutMs = 120_000): Promise<Crowd> {
    const crowd = new Crowd(options)
    try {
      await crowd.until(({ opened, refused }) => opened + refused >= options.clients, timeoutMs)
      return crowd
    } catch (error) {
      await crowd[Symbol.asyncDispose]()
      throw error
    }
  }

  get pid(): number {
    return this.#child.pid
  }

  /** With `afresh`, the delays begin anew behind this answer. */
  async figures(afresh = false): Promise<Figures> {
    const answer = Promise.withResolvers<Figures>()
    this.#answer = answer
    const timer = setTimeout(() => answer.reject(new Error("the crowd does not answer")), ANSWER_MS)
    try {
      this.#child.send({ afresh })
      return await answer.promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Waits until the figures are so, or the time is over; they as they are then. */
  async until(so: (figures: Figures) => boolean, timeoutMs: number): Promise<Figures> {
    const deadline = performance.now() + timeoutMs
    const reached = async () => {
      const figures = await this.figures()
      if (so(figures) || performance.now() > deadline) return figures
      // What asks all the time takes the processor from what it asks about.
      await Bun.sleep(100)
      return false
    }
    return until(reached, { what: "the crowd", timeoutMs: timeoutMs + ANSWER_MS })
  }

  /** Reads nothing any more, until `resume`. Nothing can be asked in between. */
  stop(): void {
    signalProcess(this.pid, "SIGSTOP")
  }

  resume(): void {
    signalProcess(this.pid, "SIGCONT")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#child.exited
  }
}
