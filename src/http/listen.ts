/**
 * The listeners: the API, behind a key; a Unix socket, behind its file mode; and, if asked for, a
 * loopback port, behind its guard against web pages.
 */
import { type Address, isLoopback } from "../address.ts"
import { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import { createDoor, type Handle } from "./door.ts"
import { answerFailures } from "./failure.ts"
import { createGate } from "./gate.ts"
import type { KeySet } from "./keys.ts"
import { refuseWebPages } from "./origin.ts"
import { isStreamed } from "./reply.ts"
import { clearSocketPath, withSocketMode } from "./socket.ts"

const IDLE_SECONDS = 60

/**
 * For the Unix socket, where Bun 1.4 else closes a stream whose client has not read for ten seconds, whatever its
 * request was given. Bun's types leave it out. Who may open that socket may keep it open.
 */
const NEVER_IDLE: object = { idleTimeout: 0 }

type Server = Bun.Server<undefined>

export interface ListenOptions {
  readonly app: { handle: Handle }
  readonly keys: KeySet
  readonly observe: Observe
  readonly api: Address
  /** The Unix socket's path. */
  readonly socket?: string
  readonly loopback?: Address
  /** A connection that has not said yet what it wants is closed after so many seconds. */
  readonly headerSeconds: number
  /** A connection on which nothing happens is closed after so many seconds. */
  readonly idleSeconds?: number
}

export interface Listening {
  /** Where it can be reached, with the ports that were found. */
  readonly api: URL
  readonly socket?: string
  readonly loopback?: URL
  /** Takes no more requests, gives the open ones `drainMs` to end, then cuts them. */
  stop(drainMs: number): Promise<void>
}

/** Opens all listeners or none. Throws an Error that names the one that could not be opened. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { app, keys, observe, api, socket, loopback } = options
  const door = createDoor((request) => app.handle(request))
  const servers: Server[] = []
  try {
    const apiServer = openTcp(api, createGate(keys, door, observe), options)
    servers.push(apiServer)
    if (socket !== undefined) servers.push(await openSocket(socket, door, options))
    const loopbackServer = loopback && openLoopback(loopback, door, options)
    if (loopbackServer) servers.push(loopbackServer)
    return {
      api: apiServer.url,
      ...(socket !== undefined && { socket }),
      ...(loopbackServer && { loopback: loopbackServer.url }),
      stop: (drainMs) => stop(servers, drainMs),
    }
  } catch (error) {
    await stop(servers, 0)
    throw error
  }
}

function openTcp({ hostname, port }: Address, handle: Handle, options: ListenOptions): Server {
  try {
    const idleTimeout = Math.min(options.headerSeconds, options.idleSeconds ?? IDLE_SECONDS)
    return Bun.serve({
      hostname,
      port,
      reusePort: false,
      idleTimeout,
      ...answering(handle, options),
    })
  } catch (error) {
    throw cannotListen(
      hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`,
      error,
    )
  }
}

function openLoopback(address: Address, door: Handle, options: ListenOptions): Server {
  if (!isLoopback(address)) {
    const reason = "it asks for no key, so that it may only be localhost, 127.0.0.1 or ::1"
    throw cannotListen(address.hostname, new Error(reason))
  }
  const guard: Handle = (request) => {
    refuseWebPages(request, server.port ?? address.port)
    return door(request)
  }
  const server = openTcp(address, guard, options)
  return server
}

async function openSocket(path: string, door: Handle, options: ListenOptions): Promise<Server> {
  try {
    await clearSocketPath(path)
    return withSocketMode(() =>
      Bun.serve({ unix: path, ...answering(door, options), ...NEVER_IDLE }),
    )
  } catch (error) {
    throw cannotListen(path, error)
  }
}

function cannotListen(name: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Error(`cannot listen on ${name}: ${reason}`, { cause })
}

function answering(handle: Handle, { observe, idleSeconds = IDLE_SECONDS }: ListenOptions) {
  const answer = answerFailures((request) => {
    // Without a Host that can be one, the address is a mere path, or there is none; CONNECT has its own.
    const isWhole = request.headers.has("Host") && URL.parse(request.url)?.protocol === "http:"
    if (!isWhole)
      throw new Failure("invalid_request", "send the name of this host in a Host header")
    return handle(request)
  }, observe)
  return {
    development: false,
    async fetch(request: Request, server: Server): Promise<Response> {
      // Finding old lines may take long, and a stream may be quiet: neither makes a connection idle.
      server.timeout(request, 0)
      const response = await answer(request)
      if (!isStreamed(response)) server.timeout(request, idleSeconds)
      return response
    },
  }
}

async function stop(servers: readonly Server[], drainMs: number): Promise<void> {
  const { promise: drained, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, drainMs)
  void Promise.all(servers.map((server) => server.stop())).then(() => resolve())
  await drained
  clearTimeout(timer)
  await Promise.all(servers.map((server) => server.stop(true)))
}
