/**
 * A scripted Docker Engine at a Unix socket, for what a real one will not do on command. It answers
 * as dockerd does (which the tests beside it compare), knows only what a reader of logs may ask, and
 * records everything else as a violation.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { UnixSocketListener } from "bun"
import { type ContainerSpec, FakeContainer } from "./container.ts"
import { EventHub, type EventSource } from "./events.ts"
import { Faults } from "./faults.ts"
import { Connection, type Reply, type Request } from "./http.ts"
import { NotModelled } from "./parameters.ts"
import { commonHeaders, failure, route, type RouteContext } from "./routes.ts"

export interface FakeEngineOptions {
  /** The newest API version: `1.41` is Docker 20.10, `1.43` 24.0, `1.51` 28. */
  readonly api?: string
  /** The oldest API version that is still understood. */
  readonly minApi?: string
  /** Nanoseconds since 1970. */
  readonly clock?: () => bigint
}

type Strike = (text: string, ends: boolean) => void

export class FakeEngine implements AsyncDisposable {
  readonly faults = new Faults()
  /** `GET /containers/json?all=1`, in the order of arrival. */
  readonly requests: string[] = []
  /** What was asked that a reader of logs has no business with. */
  readonly violations: string[] = []
  readonly socketPath: string
  /** Replace it to set the time; the default is the wall clock, made to rise with every call. */
  clock: () => bigint
  readonly #directory: string
  readonly #events = new EventHub()
  readonly #containers: FakeContainer[] = []
  readonly #connections = new Set<Connection>()
  readonly #strikes = new Map<FakeContainer, Set<Strike>>()
  readonly #context: RouteContext
  #listener: UnixSocketListener<Connection> | undefined

  /** Starts an engine at a socket of its own. */
  static async start(options: FakeEngineOptions = {}): Promise<FakeEngine> {
    const engine = new FakeEngine(options)
    await engine.start()
    return engine
  }

  private constructor(options: FakeEngineOptions) {
    this.clock = options.clock ?? risingClock()
    this.#directory = mkdtempSync(join(tmpdir(), "applogs-fake-"))
    this.socketPath = join(this.#directory, "docker.sock")
    this.#context = {
      apiMinor: minor(options.api ?? "1.41"),
      minApiMinor: minor(options.minApi ?? "1.12"),
      faults: this.faults,
      events: this.#events,
      containers: () => this.#containers,
      onError: (container, strike) => this.#onError(container, strike),
    }
  }

  addContainer(spec: ContainerSpec = {}): FakeContainer {
    const container = new FakeContainer(spec, {
      apiMinor: this.#context.apiMinor,
      clock: () => this.clock(),
      emit: (event) => this.emit(event),
      forget: (gone) => this.#containers.splice(this.#containers.indexOf(gone), 1),
      interrupt: (struck, text, ends) => {
        for (const strike of this.#strikes.get(struck) ?? []) strike(text, ends)
      },
    })
    this.#containers.push(container)
    return container
  }

  /** Sends an event that belongs to nothing that happened. */
  emit(event: EventSource): void {
    this.#events.emit(event, this.clock())
  }

  /** Loses the next `count` events. */
  dropEvents(count: number): void {
    this.#events.drop(count)
  }

  /** Sends the next `count` events twice. */
  duplicateEvents(count: number): void {
    this.#events.duplicate(count)
  }

  /** Connections that are open, in use or not. */
  openConnections(): number {
    return this.#connections.size
  }

  /** The requests that are being answered now. */
  openRequests(): readonly string[] {
    return [...this.#connections].flatMap(({ current }) => (current ? [current.target] : []))
  }

  /** Connections whose reader does not take what is there for it. */
  blockedConnections(): number {
    return [...this.#connections].filter(({ blocked }) => blocked).length
  }

  /** Breaks the connections whose request is being answered and matches. */
  disconnect(match = /(?:)/): void {
    for (const connection of this.#connections) {
      if (connection.current && match.test(connection.current.target)) connection.destroy()
    }
  }

  /** The engine goes away: every connection breaks, and the socket is gone. Containers live on. */
  async stop({ leaveSocket = false }: { readonly leaveSocket?: boolean } = {}): Promise<void> {
    // Closing the listener removes its file, so the file that is to stay steps aside.
    const aside = `${this.socketPath}.aside`
    if (leaveSocket) renameSync(this.socketPath, aside)
    this.#listener?.stop(true)
    this.#listener = undefined
    for (const connection of this.#connections) connection.destroy()
    this.#events.forget()
    if (leaveSocket) renameSync(aside, this.socketPath)
  }

  /** It comes back, at the same path. */
  async start(): Promise<void> {
    if (this.#listener) throw new Error("the engine runs already")
    if (existsSync(this.socketPath)) rmSync(this.socketPath)
    const options = {
      handle: (request: Request, signal: AbortSignal) => this.#handle(request, signal),
      segmentBytes: () => this.faults.segmentBytes,
    }
    this.#listener = Bun.listen<Connection>({
      unix: this.socketPath,
      socket: {
        open: (socket) => {
          socket.data = new Connection(socket, options)
          this.#connections.add(socket.data)
          if (this.faults.closeAtAccept) socket.data.destroy()
        },
        data: (socket, bytes) => socket.data.receive(bytes),
        drain: (socket) => socket.data.drain(),
        close: (socket) => {
          this.#connections.delete(socket.data)
          socket.data.closed()
        },
        error: (socket) => socket.data.destroy(),
      },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async #handle(request: Request, signal: AbortSignal): Promise<Reply> {
    this.requests.push(`${request.method} ${request.target}`)
    await this.faults.hanging(request.target)
    const headers = commonHeaders(this.#context.apiMinor)
    const refusal = this.faults.takeRefusal(request.target)
    if (refusal) return failure(headers, refusal.status, refusal.message)
    try {
      return route(request, this.#context, signal)
    } catch (error) {
      if (!(error instanceof NotModelled)) throw error
      this.violations.push(`${request.method} ${request.target}: ${error.message}`)
      return failure(headers, 403, "forbidden")
    }
  }

  #onError(container: FakeContainer, strike: Strike): () => void {
    const strikes = this.#strikes.get(container) ?? new Set()
    this.#strikes.set(container, strikes.add(strike))
    return () => strikes.delete(strike)
  }
}

function minor(version: string): number {
  const digits = /^1\.(\d+)$/.exec(version)?.[1]
  if (digits === undefined) throw new Error(`not an API version: ${version}`)
  return Number(digits)
}

/** The wall clock, never twice the same, and with digits in all of its nine places. */
function risingClock(): () => bigint {
  let last = 0n
  return () => {
    const micros = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000))
    const now = micros * 1_000n + (last % 997n) + 1n
    last = now > last ? now : last + 1n
    return last
  }
}
