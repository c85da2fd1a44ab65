/** Containers' logs in systemd's journal, by its own program: past the engine, and to the microsecond. */
import { LinkedAbort } from "../src/abort.ts"
import type { RecordRequest, RecordSource } from "../src/logapi/source.ts"
import { JOURNAL_FIELDS, JournalDecoder } from "../src/records/journal.ts"
import type { LogRecord } from "../src/records/record.ts"
import { toUnixSeconds } from "../src/time.ts"
import { chunks, type Command, output } from "./command.ts"

/** Behind a silence of so long, and ever longer ones, is asked whether the container still runs. */
const ASK_MS = { first: 250, most: 30_000 }

/** It has a deadline of its own. */
const NEVER = new AbortController().signal

/** Rights are given while applogs runs; and a list of containers asks for each of them. */
const REMEMBER_MS = 30_000

export class Journal {
  readonly #env: Command["env"]
  #askedAt = Number.NEGATIVE_INFINITY
  #isReadable = Promise.resolve(false)

  constructor(env: Command["env"]) {
    this.#env = env
  }

  /** Whether anything of a user is in it that may be read. */
  async isReadable(user: number): Promise<boolean> {
    const now = performance.now()
    if (now >= this.#askedAt + REMEMBER_MS) {
      this.#askedAt = now
      this.#isReadable = output(this.#command([`_UID=${user}`, "--lines=1"]), NEVER).then(
        (said) => said !== "",
        () => false,
      )
    }
    return await this.#isReadable
  }

  /** `user`: whose word it is. Anybody may write to the journal, and say that it is of a container. */
  records(id: string, user: number, rest: Pick<RecordSource, "rules" | "running">): RecordSource {
    const of = [`CONTAINER_ID_FULL=${id}`, `_UID=${user}`]
    return {
      ...rest,
      repeats: false,
      open: (request, signal) => this.#read([...of, ...toFlags(request)], request, rest, signal),
    }
  }

  async *#read(
    args: readonly string[],
    { follow }: RecordRequest,
    { running }: Pick<RecordSource, "running">,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogRecord[], void> {
    using stop = new LinkedAbort(signal)
    using silence = follow ? new Silence(() => running(stop.signal), stop.abort) : undefined
    const decoder = new JournalDecoder()
    for await (const bytes of chunks(this.#command(args), stop.signal)) {
      silence?.end()
      const records: LogRecord[] = []
      decoder.push(bytes, records)
      if (records.length > 0) yield records
    }
    await silence?.answer
  }

  #command(args: readonly string[]): Command {
    const format = ["--output=export", `--output-fields=${JOURNAL_FIELDS.join(",")}`]
    return {
      program: "journalctl",
      args: ["--quiet", "--no-pager", ...format, ...args],
      env: this.#env,
    }
  }
}

/** What is older may stand behind it, where a clock was put back. */
function toFlags({ tail, from, since, follow }: RecordRequest): string[] {
  const time = from ?? since
  return [
    `--lines=${tail ?? "all"}`,
    ...(time === undefined ? [] : [`--since=@${toUnixSeconds(time)}`]),
    ...(follow ? ["--follow"] : []),
  ]
}

/** Of a program that goes on printing as long as it is let: it is ended when the container has ended, or nobody can tell. */
class Silence implements Disposable {
  readonly #running: () => Promise<boolean>
  readonly #stop: () => void
  #ms = ASK_MS.first
  #timer: ReturnType<typeof setTimeout>
  #answer = Promise.resolve(true)

  constructor(running: () => Promise<boolean>, stop: () => void) {
    this.#running = running
    this.#stop = stop
    this.#timer = this.#wait()
  }

  /** The last one; rejects if there was none. */
  get answer(): Promise<boolean> {
    return this.#answer
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#ms = ASK_MS.first
    this.#timer = this.#wait()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #wait(): ReturnType<typeof setTimeout> {
    return setTimeout(() => void this.#ask(), this.#ms)
  }

  async #ask(): Promise<void> {
    this.#ms = Math.min(this.#ms * 2, ASK_MS.most)
    this.#timer = this.#wait()
    this.#answer = this.#running()
    const isOver = await this.#answer.then(
      (isRunning) => !isRunning,
      () => true,
    )
    if (isOver) this.#stop()
  }
}
