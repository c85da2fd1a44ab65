/**
 * What the conformance suite needs of a runtime beside the plugin under test: somebody who makes things
 * happen there without it. A plugin's author writes one, and names what it cannot do.
 */
import type { Runtime, StreamName } from "../../src/runtime.ts"
import type { Instant } from "../../src/time.ts"

/** What a host or a runtime may be unable to do. Cases that need it are skipped by name, with the reason. */
export type Gap =
  /** Output to stderr that is told from that to stdout. */
  | "two streams"
  /** Containers with a terminal. */
  | "tty"
  /** Names and labels that whoever creates a container chooses. */
  | "labels"
  /** Containers that are there and were never started. */
  | "created containers"
  /** Hints that tell how a container ended. */
  | "exit codes"
  /** Logs that their driver does not let anybody read. */
  | "unreadable logs"
  /** Dropping what the log holds. */
  | "rotation"
  /** A line that a run left unfinished is not joined with the next run's first one. */
  | "unfinished lines over restarts"
  /** The runtime going away while its containers live on. */
  | "outage"
  /** Output that is stamped as the test wants it. */
  | "chosen timestamps"
  /** Finding every line behind a time, also where the clock stepped back. */
  | "times over clock steps"
  /** A character that the runtime's own record limit cuts in two comes out whole. */
  | "characters across records"

export type Gaps = Partial<Readonly<Record<Gap, string>>>

export interface Output {
  readonly stream: StreamName
  readonly text: string | Uint8Array
  /** To wait before it is written, in milliseconds: two streams have no order otherwise. */
  readonly delayMs?: number
  /** Needs "chosen timestamps". */
  readonly at?: Instant
}

export interface HostContainerSpec {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly tty?: boolean
  /** False: created, and never started. */
  readonly started?: boolean
  /** Its log can be read by nobody. */
  readonly unreadable?: boolean
  /** `rotate` will be asked of it. */
  readonly rotates?: boolean
  readonly output?: readonly Output[]
  /** The code it exits with behind its output; absent: it runs on. */
  readonly exitCode?: number
}

export interface HostContainer {
  readonly id: string
  readonly name: string
  /** Resolves once the log holds every line that the output ended. */
  write(output: readonly Output[]): Promise<void>
  /** The main process ends by itself. Resolves once the log holds all that it wrote. */
  exit(code: number): Promise<void>
  /** As `exit`, by the runtime's own command. */
  stop(): Promise<void>
  start(): Promise<void>
  restart(): Promise<void>
  /** Removes it, running or not. */
  remove(): Promise<void>
  /** Makes the log lose all or nearly all that it holds; what is written to bring that about may stay. */
  rotate(): Promise<void>
}

/** Disposing removes every container that it made. */
export interface ConformanceHost extends AsyncDisposable {
  /** How long anything may take that is waited for, in milliseconds. */
  readonly patienceMs: number
  create(spec?: HostContainerSpec): Promise<HostContainer>
  /** The runtime goes away; its containers live on. */
  down(): Promise<void>
  up(): Promise<void>
  /** Requests or child processes by which the runtime is being used at this moment. */
  open(): number
}

export interface Subject {
  readonly runtime: Runtime
  readonly host: ConformanceHost
}

/** One thing that the contract promises. Throws when it is not kept. */
export interface Case {
  readonly name: string
  readonly needs?: readonly Gap[]
  run(subject: Subject): Promise<void>
}
