/** How a command ends that asks a service: its exit codes, which say why, and one line on stderr. */
import { disarm } from "../disarm.ts"

export const EXITS = {
  0: "done",
  1: "failed",
  2: "asked wrongly",
  3: "no such app or service",
  4: "not allowed",
  5: "nobody answers",
  130: "ended by SIGINT",
  141: "nobody reads the output any more",
  143: "ended by SIGTERM",
} as const

export type Exit = keyof typeof EXITS

/** Where a command's words go, and when it is to end: then, the signal's reason is the name of the process's one. */
export interface Outlet {
  /** To stdout. Resolves once it is taken; rejects when nobody reads any more. */
  readonly output: (text: string) => Promise<void>
  /** To stderr. */
  readonly complain: (text: string) => void
  readonly signal: AbortSignal
}

/** What a person is told, in one line. */
export class ClientFailure extends Error {
  readonly exit: Exit
  /** Whether it may pass, for one who had been connected already; and when to try again, if that was said. */
  readonly passes: boolean
  readonly retryMs: number
  /** The problem's, where the service has said one. */
  readonly code: string

  constructor(exit: Exit, message: string, { passes = false, retryMs = 0, code = "" } = {}) {
    super(message)
    this.name = "ClientFailure"
    this.exit = exit
    this.passes = passes
    this.retryMs = retryMs
    this.code = code
  }
}

/** A reader who takes nothing is waited for; but for so long only, once the command is to end. */
const LAST_WORDS_MS = 1_000

export async function handOver({ output, signal }: Outlet, text: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const hurry = () => (timer = setTimeout(() => reject(new Error("it is to end")), LAST_WORDS_MS))
  if (signal.aborted) hurry()
  else signal.addEventListener("abort", hurry, { once: true })
  try {
    await Promise.race([output(text), late])
  } finally {
    signal.removeEventListener("abort", hurry)
    clearTimeout(timer)
  }
}

/** One line to stderr. What others wrote within it stays within it. */
export function say({ complain }: Outlet, words: string): void {
  complain(`applogs: ${disarm(words)}\n`)
}

/** What else is thrown is a mistake of the asker's, or a fault: both are told elsewhere. */
export async function endWell(outlet: Outlet, work: () => Promise<void>): Promise<Exit> {
  try {
    await work()
    return 0
  } catch (error) {
    if (outlet.signal.aborted) return outlet.signal.reason === "SIGTERM" ? 143 : 130
    // As a program ends that SIGPIPE ends: nothing is wrong, and nothing is said.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return 141
    if (!(error instanceof ClientFailure)) throw error
    say(outlet, error.message)
    return error.exit
  }
}
