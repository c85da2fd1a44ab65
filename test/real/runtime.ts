/** A private container runtime for tests, whichever it is: the real one, in a throw-away directory. */
import type { ContainerSpec } from "./engine-api.ts"
import type { StoredLine } from "./stored.ts"

/**
 * What every runtime's containers can be started with. Without a `logDriver`, logs go to a file. Other drivers, and
 * `remove`, are asked for only where the runtime has them (`e2e/runtime.ts`, and the gaps of the conformance suite).
 */
export type PlainSpec = Pick<
  ContainerSpec,
  "name" | "command" | "labels" | "tty" | "logDriver" | "logOptions" | "remove"
>

/** A program with its arguments, and all of its environment. */
export interface CommandLine {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface PrivateRuntime extends AsyncDisposable {
  /** How applogs is told to use it: options by their flags' names. */
  readonly flags: Readonly<Record<`--${string}`, string>>
  /** What else of its surroundings applogs has to have. */
  readonly env?: Readonly<Record<string, string>>
  /** Creates a container without starting it; its id. */
  create(spec: PlainSpec): Promise<string>
  /** Creates and starts a container; its id. */
  run(spec: PlainSpec): Promise<string>
  startContainer(id: string): Promise<void>
  /** SIGTERM, and SIGKILL after `seconds`. Resolves once all that it wrote is stored. */
  stopContainer(id: string, seconds?: number): Promise<void>
  restartContainer(id: string, seconds?: number): Promise<void>
  renameContainer(id: string, name: string): Promise<void>
  /** Running or not; and all is well if there is none. */
  removeContainer(id: string): Promise<void>
  inspect(id: string): Promise<{ readonly State: { readonly Pid: number } }>
  /** Waits until a container does not run any more, and all that it wrote is stored; its exit code. */
  exited(id: string, timeoutMs?: number): Promise<number>
  /** Where its output is stored; rotated files stand beside it. */
  logFile(id: string): string
  /** The lines that are really stored, oldest first: what applogs must hand out. */
  storedLines(id: string): StoredLine[]
  /** How many line ends are stored. */
  storedEnds(id: string): number
  /** Ends what applogs asks, so that it gets no answer. Containers run on, and their output is stored. */
  stop(): Promise<void>
  /** As `stop`, by SIGKILL; absent where there is nothing to be killed. */
  kill?(): Promise<void>
  /** Starts it again, and waits until it answers. */
  start(): Promise<void>
  /** Stops it where it stands, by SIGSTOP: it takes connections, and never answers. */
  freeze(): void
  thaw(): void
  /** How many requests of applogs, or programs that it started, are at work at this moment. */
  inUse(): number
  /** What prints a container's log the runtime's own way, with times. */
  ownLogs(id: string): CommandLine
}
