/** The service manager that started this process, if one did: it is told how things are, as sd_notify(3) says. */
import type { Environment } from "../given.ts"
import type { Observe } from "../observe.ts"
import { sendDatagram } from "./datagram.ts"

/** How often the status is looked at; a watchdog may want a sign of life more often. */
const STATUS_MS = 5_000

export interface ManagerOptions {
  readonly env: Environment
  readonly observe: Observe
  /** What `systemctl status` shows, in a few words. */
  readonly status: () => string
}

/** Does nothing where nobody wants to know (`NOTIFY_SOCKET`). */
export class Manager implements Disposable {
  readonly #address: string | undefined
  readonly #options: ManagerOptions
  readonly #beatMs: number
  readonly #watched: boolean
  #timer: ReturnType<typeof setInterval> | undefined
  #told = ""
  #failed = false

  constructor(options: ManagerOptions) {
    const { env } = options
    this.#options = options
    this.#address = env["NOTIFY_SOCKET"] || undefined
    const pid = env["WATCHDOG_PID"] ?? String(process.pid)
    const microseconds = Number(env["WATCHDOG_USEC"] ?? 0)
    this.#watched = microseconds > 0 && pid === String(process.pid)
    this.#beatMs = this.#watched ? Math.min(microseconds / 2_000, STATUS_MS) : STATUS_MS
  }

  /** From now on it shows that it lives: a timer of the event loop, which must not hang. */
  ready(): void {
    this.#tell("READY=1", this.#status)
    if (this.#address === undefined) return
    this.#timer = setInterval(() => this.#beat(), this.#beatMs)
  }

  stopping(): void {
    this.#tell("STOPPING=1", "STATUS=giving open streams time to end")
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  get #status(): string {
    return `STATUS=${this.#options.status()}`
  }

  #beat(): void {
    const status = this.#status
    const news = status === this.#told ? [] : [status]
    this.#tell(...(this.#watched ? ["WATCHDOG=1"] : []), ...news)
  }

  #tell(...words: readonly string[]): void {
    if (this.#address === undefined || words.length === 0) return
    try {
      sendDatagram(this.#address, words.join("\n"))
      this.#told = words.find((word) => word.startsWith("STATUS=")) ?? this.#told
    } catch (reason) {
      // It may be gone for a moment, and is not told of every time.
      if (!this.#failed) this.#options.observe.log("warn", "service manager not told", { reason })
      this.#failed = true
    }
  }
}
