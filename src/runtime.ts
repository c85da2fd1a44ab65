/**
 * THE contract: where the service's wing and the runtimes' wing meet, and all that either knows of
 * the other. A runtime plugin implements `Runtime`; the service hands out what it reads.
 *
 * Lines cross it, not bytes: all that is odd about a runtime (framing, partial records, time
 * formats, rotation, reconnecting) stays behind it.
 */
import type { Instant } from "./time.ts"

/** Raised when the contract breaks; a plugin built for another one is refused at start. */
export const RUNTIME_API = 1

export type StreamName = "stdout" | "stderr"

export type ContainerState = "created" | "running" | "paused" | "restarting" | "exited" | "dead"

/** What a container's logs can be trusted for, and why it is not more. */
export interface Guarantee {
  /** `exact`: every line once, in order, over any reconnect. */
  readonly level: "exact" | "best-effort" | "unreadable"
  /** Where lines are read from: the runtime's API or CLI, or the log file itself. */
  readonly source: "api" | "file" | "none"
  /** One sentence for the operator; empty for an unconditional `exact`. */
  readonly reason: string
}

/** A guarantee that containers of a plugin may have. */
export interface DeclaredGuarantee extends Guarantee {
  /** Which logs have it, in an operator's words. */
  readonly logs: string
}

export interface Container {
  /** The runtime's full id: 64 lower-case hex digits for every engine. */
  readonly id: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The pod it belongs to, for runtimes that have pods. */
  readonly pod?: string
  readonly state: ContainerState
  readonly createdAt: Instant
  readonly guarantee: Guarantee
}

/** A whole line of output (or, flagged `partial`, a piece of one that is longer than the limit). */
export interface Line {
  readonly stream: StreamName
  /** When the runtime stamped it. Data, never an identity: equal and falling stamps are normal. */
  readonly timestamp: Instant
  /** Without its line end. Bytes that are not UTF-8 read as U+FFFD. */
  readonly message: string
  /** Only on a piece that its line goes on after. */
  readonly partial?: true
  /** Reading from here gives the next line and no other. Matches `POSITION`. */
  readonly position: string
}

/**
 * A position is opaque to the service; the alphabet is what an SSE id and a URL can carry. Equal ones are one place.
 * A place should have one text, whoever has read up to it: by that, a client that has read a log goes on with what is
 * followed for all; one whose place nobody knows reads the log again every second.
 */
export const POSITION = /^[A-Za-z0-9_-]{1,160}$/

export type GapReason =
  /** The runtime no longer holds what stood at the position. */
  | "rotated"
  /** What stands at the position cannot be told from its twins: some lines may come again. */
  | "ambiguous"
  /** The runtime reported an error while reading and went on, or ended, behind it. */
  | "runtime_error"

/** Says that lines may be missing or repeated between the line before it and the line after it. */
export interface Gap {
  readonly reason: GapReason
  /** The last instant before the gap and the first one after it, where known. */
  readonly from?: Instant
  readonly to?: Instant
}

/** Lines that are bytes, none with an object of its own, for whoever need not look at them one by one. */
export interface Block {
  readonly length: number
  /** When the first one was stamped. */
  readonly first: Instant
  /** None is stamped later. */
  readonly latest: Instant
  /**
   * Each line as the row of its stream, one behind the other, for `take` to copy: behind it, others are written there. To be
   * asked for once.
   */
  toRows<T>(rows: Readonly<Record<StreamName, Row>>, take: (bytes: Uint8Array) => T): T
}

/** How a line is written: what stands before each of its parts, and behind the last one. */
export interface Row {
  readonly literals: readonly Uint8Array[]
  readonly parts: readonly RowPart[]
}

/** What is a line's own. `jsonMessage`: the message, as it stands in a string of JSON. */
export type RowPart = "timestamp" | "message" | "jsonMessage" | "position"

/** What crosses every await: many lines at once. */
export interface Batch {
  /** Stands before the lines. */
  readonly gap?: Gap
  readonly lines: readonly Line[]
  /** The same lines, for whoever can pass them on as bytes and need not look at `lines` then. */
  readonly block?: Block
  /** The position behind all of the batch, also when it has no line. */
  readonly position: string
}

export type Start =
  | { readonly from: "beginning" }
  /** Only what is written from now on. The first batch has no line, and a position. */
  | { readonly from: "end" }
  /** From the first line in the runtime's order that is stamped later than `after`. */
  | { readonly from: "time"; readonly after: Instant }
  /** From what the log holds now, the last `lines` for which `where` holds, and no other. */
  | { readonly from: "last"; readonly lines: number; readonly where: (line: Line) => boolean }
  | { readonly from: "position"; readonly position: string }

export interface ReadOptions {
  /**
   * False: what the log holds now, then the end. True: on and on while the container runs; the end
   * then means that it does not run, and that all it wrote has been handed over.
   */
  readonly follow: boolean
  /**
   * Cut: read up to the first line stamped later than this instant (and not far in the future, as
   * a line written before a clock was put right may be). Not with `follow`.
   */
  readonly until?: Instant
  readonly signal: AbortSignal
}

/** Something happened to a container. A hint: some are lost, some come twice. */
export interface Hint {
  readonly id: string
  readonly change: "created" | "started" | "exited" | "oom" | "removed" | "renamed"
  readonly at: Instant
  readonly exitCode?: number
}

export interface Runtime extends AsyncDisposable {
  /** The plugin's name: `docker`, `podman`, … */
  readonly name: string
  /** Answers when the runtime can be used. Throws `runtime_unavailable`. */
  ping(signal: AbortSignal): Promise<{ readonly version: string }>
  /** Every container there is, running or not. Throws `runtime_unavailable`. */
  list(signal: AbortSignal): Promise<readonly Container[]>
  /**
   * Changes from now on. Ends or throws when the connection is lost. `ready` is called once changes
   * can no longer be missed, so that a list made after it is complete.
   */
  watch(ready: () => void, signal: AbortSignal): AsyncIterable<Hint>
  /**
   * A container's lines. Both streams, in the runtime's order; never filtered. The first batch comes
   * as soon as the start is found, if need be without a line.
   *
   * Ends early, without an error, when the container is removed. Throws `runtime_unavailable` when the
   * runtime goes away and `log_unreadable` when the log is out of order (resume from the last position),
   * `log_driver_unreadable` when nothing can read it.
   * An aborted signal ends it, frees its socket or child process, and is not an error.
   */
  read(container: Container, start: Start, options: ReadOptions): AsyncIterable<Batch>
}

/** What a plugin file exports as `plugin`, and what the table in `plugins/index.ts` holds. */
export interface RuntimePlugin {
  readonly name: string
  readonly api: typeof RUNTIME_API
  /** Every guarantee that there is: each of its containers has one of these. The README's table is made of them. */
  readonly guarantees: readonly DeclaredGuarantee[]
  /** No I/O here: `ping` is the first contact. */
  create(options: RuntimeOptions): Runtime
}

/** Where logs may be read: from a container's log file where it is readable, and else through the API; or one alone. */
export const LOG_SOURCES = ["auto", "file", "api"] as const

export type LogSource = (typeof LOG_SOURCES)[number]

/** What the command line knows of runtimes, by option name; a plugin takes what is its own. */
export interface RuntimeOptions {
  readonly logSource: LogSource
  /** A line that is longer is handed over in pieces. */
  readonly maxLineBytes: number
  readonly dockerSocket: string
  readonly podmanSocket: string
  /** A path, or a name on the PATH. */
  readonly nerdctl: string
  readonly containerdAddress: string | undefined
  readonly containerdNamespace: string | undefined
  readonly filesRoot: string | undefined
  /** The environment of child processes: without what is applogs' own, its keys above all. */
  readonly env: Readonly<Record<string, string>>
}
