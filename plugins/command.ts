/**
 * Runs a runtime's command line tool: an argument array and never a shell, a process group of its own, and never
 * longer than somebody waits for it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { LinkedAbort } from "../src/abort.ts"
import { readChunks } from "../src/logapi/chunks.ts"

export interface Command {
  /** A path, or a name on the PATH of `env`. */
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export class CommandError extends Error {
  override readonly name = "CommandError"
}

/** What is read whole must come within this time. */
const DEADLINE_MS = 10_000

/** And is no more than this: some thousand containers with all their labels. */
const MOST_BYTES = 67_108_864

/** From the request to end to the end by force. It only reads, so nothing is left half done. */
const GRACE_MS = 250

/** What is kept of an error's text. */
const COMPLAINT = { bytes: 16_384, chars: 300 }

/** What the program says, whole. Throws `CommandError`, which says what to do. */
export async function output(command: Command, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  using abort = new LinkedAbort(signal)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    abort.abort()
  }, DEADLINE_MS)
  try {
    let said = ""
    for await (const chunk of chunks(command, abort.signal)) {
      said += chunk
      if (said.length > MOST_BYTES) throw new CommandError("it says more than can be true")
    }
    signal.throwIfAborted()
    if (isLate)
      throw new CommandError(
        `it did not answer within ${DEADLINE_MS / 1_000} s: see whether what it asks is well`,
      )
    return Buffer.from(said, "latin1").toString()
  } finally {
    clearTimeout(timer)
  }
}

/** What the program says as it comes, one char a byte. Throws `CommandError` when it fails in the end. */
export async function* chunks(command: Command, signal: AbortSignal): AsyncGenerator<string, void> {
  await using child = new Child(command, signal)
  let complaint = ""
  child.stderr.on("data", (bytes: Buffer) => {
    complaint = (complaint + bytes.toString("latin1")).slice(0, COMPLAINT.bytes)
  })
  await child.started
  yield* readChunks(child.stdout, signal)
  const exit = await child.exited
  if (signal.aborted || exit === 0) return
  throw complaintOf(complaint, exit)
}

/** The program at work. It ends when the signal is aborted, or when it is disposed of. */
export class Child implements AsyncDisposable {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Rejects with `CommandError` when it cannot be started. */
  readonly started: Promise<void>
  /** Its exit code; `null` when a signal ended it, and when it was never started. */
  readonly exited: Promise<number | null>
  readonly #process: ChildProcess
  readonly #signal: AbortSignal
  #hasEnded = false
  #force: ReturnType<typeof setTimeout> | undefined

  constructor({ program, args, env }: Command, signal: AbortSignal) {
    const child = spawn(program, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    this.#process = child
    this.#signal = signal
    this.stdout = child.stdout
    this.stderr = child.stderr
    const exited = Promise.withResolvers<number | null>()
    this.exited = exited.promise
    this.started = new Promise((resolve, reject) => {
      child.once("spawn", resolve)
      child.once("error", (error: NodeJS.ErrnoException) => {
        reject(cannotStart(program, error))
        exited.resolve(null)
      })
    })
    // Whoever wants to know asks, perhaps later.
    this.started.catch(() => {})
    child.once("exit", (code) => {
      // What it started itself, and left behind. Later, its number may be somebody else's.
      this.#kill("SIGKILL")
      this.#hasEnded = true
      exited.resolve(code)
    })
    signal.addEventListener("abort", this.#end)
    if (signal.aborted) this.#end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#end)
    this.#end()
    await this.exited
    clearTimeout(this.#force)
    this.stdout.destroy()
    this.stderr.destroy()
  }

  readonly #end = (): void => {
    if (this.#force !== undefined || this.#hasEnded) return
    this.#kill("SIGTERM")
    this.#force = setTimeout(() => this.#kill("SIGKILL"), GRACE_MS)
  }

  #kill(signal: NodeJS.Signals): void {
    if (this.#process.pid === undefined || this.#hasEnded) return
    try {
      process.kill(-this.#process.pid, signal)
    } catch {
      // Nobody of the group is left.
    }
  }
}

function cannotStart(program: string, { code, message }: NodeJS.ErrnoException): CommandError {
  const why = code === undefined ? undefined : REASONS[code]
  return new CommandError(`${JSON.stringify(program)} cannot be run: ${why ?? message}`)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program: install it, or say where it is",
  EACCES: "permission denied: it has to be executable for the user of applogs",
  ENOEXEC: "it is no program",
}

/** Why it failed: its first line that is no warning; of a structured one, the message. One char a byte. */
export function complaintOf(stderr: string, exit: number | null): CommandError {
  const lines = Buffer.from(stderr, "latin1").toString().split("\n")
  const line = lines.find((each) => each.trim() !== "" && !/level=warn/.test(each))
  const message = /msg="((?:[^"\\]|\\.)*)"/.exec(line ?? "")?.[1]?.replaceAll('\\"', '"')
  const said = (message ?? line)?.replaceAll(/\p{C}+/gu, " ").slice(0, COMPLAINT.chars)
  return new CommandError(said ?? `it ended with ${exit === null ? "a signal" : `code ${exit}`}`)
}
