/** nerdctl as applogs uses it: the few commands that it may run, all of which only read. */
import { LinkedAbort } from "../src/abort.ts"
import { Failure } from "../src/errors.ts"
import type { RuntimeOptions } from "../src/runtime.ts"
import { Child, chunks, type Command, CommandError, output } from "./command.ts"

export type Verb = "events" | "info" | "inspect" | "logs" | "ps"

type Options = Pick<RuntimeOptions, "nerdctl" | "containerdAddress" | "containerdNamespace" | "env">

/** Older ones cannot print a container's labels without mixing them up. */
const OLDEST_MAJOR = 2

const CONTAINER_ID = /^[0-9a-f]{64}$/

export function isContainerId(text: unknown): text is string {
  return typeof text === "string" && CONTAINER_ID.test(text)
}

export class Nerdctl implements Disposable {
  readonly #options: Options
  readonly #closed = new AbortController()
  #version: string | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Aborted when it is disposed of. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Throws `runtime_unavailable` when there is no nerdctl, or an old one. containerd is not asked. */
  async version(signal: AbortSignal): Promise<string> {
    if (this.#version !== undefined) return this.#version
    const said = await this.#output(["--version"], signal)
    const [, version, major] = /\bv?((\d+)\.\d+\S*)\s*$/.exec(said) ?? []
    if (version === undefined) throw unavailable(`it does not say its version: is it nerdctl?`)
    if (Number(major) < OLDEST_MAJOR) {
      throw unavailable(`version ${version} is too old: install ${OLDEST_MAJOR}.0 or a newer one`)
    }
    this.#version = version
    return version
  }

  /** What a command says, whole. Throws `runtime_unavailable`, or `CommandError` for what `isExpected` of. */
  async ask(
    verb: Verb,
    args: readonly string[],
    signal: AbortSignal,
    isExpected: (error: CommandError) => boolean = () => false,
  ): Promise<string> {
    await this.version(signal)
    return await this.#output(this.#args(verb, args), signal, isExpected)
  }

  /** What a command says, as it comes. Throws `runtime_unavailable` when it fails in the end. */
  async *listen(
    verb: Verb,
    args: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    using abort = new LinkedAbort(signal, this.closed)
    try {
      yield* chunks(this.#command(this.#args(verb, args)), abort.signal)
    } catch (error) {
      throw toFailure(error)
    }
  }

  /** A command at work, for both of its pipes. The signal has to be one that `closed` aborts. */
  start(verb: Verb, args: readonly string[], signal: AbortSignal): Child {
    return new Child(this.#command(this.#args(verb, args)), signal)
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
  }

  async #output(
    args: readonly string[],
    signal: AbortSignal,
    isExpected: (error: CommandError) => boolean = () => false,
  ): Promise<string> {
    using abort = new LinkedAbort(signal, this.closed)
    try {
      return await output(this.#command(args), abort.signal)
    } catch (error) {
      throw error instanceof CommandError && isExpected(error) ? error : toFailure(error)
    }
  }

  #args(verb: Verb, args: readonly string[]): string[] {
    const { containerdAddress, containerdNamespace } = this.#options
    const address = containerdAddress === undefined ? [] : [`--address=${containerdAddress}`]
    const namespace =
      containerdNamespace === undefined ? [] : [`--namespace=${containerdNamespace}`]
    return [...address, ...namespace, verb, ...args]
  }

  #command(args: readonly string[]): Command {
    const { nerdctl: program, env } = this.#options
    return { program, args, env }
  }
}

/** Whether it says that there is no such container. */
export function isGone({ message }: CommandError): boolean {
  return /not found|no such (?:object|container)/.test(message)
}

/** A JSON object. Throws `runtime_unavailable` for anything else. */
export function parseObject(text: string): object {
  const value = tryParse(text)
  if (typeof value === "object" && value !== null) return value
  throw unavailable("it says what cannot be understood: is it nerdctl 2?")
}

/** `undefined`: that is no JSON. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function unavailable(message: string, cause?: unknown): Failure {
  return new Failure("runtime_unavailable", `nerdctl: ${message}`, { retryAfter: 5, cause })
}

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  return unavailable(error instanceof Error ? error.message : String(error), error)
}
