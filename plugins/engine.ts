/**
 * GET requests to a container engine over its Unix socket, through dockerode's modem.
 *
 * This file is the whole of what applogs can say to an engine: only the paths in `PATHS`, only GET. A container
 * id is 64 hex digits before it gets here, so that no name can become a path.
 */
import { Agent, type IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import Docker from "dockerode"
import { LinkedAbort } from "../src/abort.ts"
import { Failure } from "../src/errors.ts"

/** `endpoint` of a request; `{id}` is put in by `Engine.stream` alone. Podman's own ones bear their version. */
export type Endpoint =
  | "/_ping"
  | "/events"
  | "/containers/json"
  | "/containers/{id}/json"
  | "/containers/{id}/logs"
  | "/v4.0.0/libpod/containers/json"
  | "/v4.0.0/libpod/containers/{id}/json"
  | "/v4.0.0/libpod/containers/{id}/logs"

export interface EngineRequest {
  readonly endpoint: Endpoint
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** An answer that is not 200. */
export class EngineError extends Error {
  override readonly name = "EngineError"
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface EngineText {
  readonly text: string
  readonly headers: EngineResponse["headers"]
}

export interface EngineResponse {
  readonly body: Readable
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** dockerode's modem as it is: its published types leave the version out. */
type Modem = Docker["modem"] & { version?: string | undefined }

const CONTAINER_ID = /^[0-9a-f]{64}$/

export const FORBIDDEN = 403

/** An answer that is read whole must come within this time. */
const DEADLINE_MS = 10_000

export class Engine {
  readonly #modem: Modem
  readonly #socket: string

  constructor(socketPath: string) {
    this.#socket = socketPath
    // A connection a request: on a local socket that costs nothing, and nothing is left open behind one.
    const options = { socketPath, agent: new Agent({ keepAlive: false }) }
    this.#modem = new Docker(options).modem
  }

  /** Requests are made for this version of the API from now on; without one, for the engine's newest. */
  set version(version: string | undefined) {
    this.#modem.version = version === undefined ? undefined : `v${version}`
  }

  /** The answer once its head has come. Throws `EngineError`, or `runtime_unavailable` without an answer. */
  async stream({ endpoint, id = "", query = {}, signal }: EngineRequest): Promise<EngineResponse> {
    if (endpoint.includes("{id}") && !CONTAINER_ID.test(id)) {
      throw new Failure("internal_error", "a container id is 64 hex digits")
    }
    signal.throwIfAborted()
    const path = `${endpoint.replace("{id}", id)}?`
    // dockerode forwards every key, and would write a missing value as an empty one.
    const dial = { path, method: "GET", options: { ...query }, isStream: true, abortSignal: signal }
    return await new Promise((resolve, reject) => {
      this.#modem.dial({ ...dial, statusCodes: { 200: true } }, (error, body) => {
        if (error) reject(this.#explain(error, endpoint))
        else resolve(toResponse(body as IncomingMessage))
      })
    })
  }

  /** The answer's text, whole. */
  async text(request: EngineRequest): Promise<EngineText> {
    using abort = new LinkedAbort(request.signal)
    const timer = setTimeout(abort.abort, DEADLINE_MS)
    try {
      const { body, headers } = await this.stream({ ...request, signal: abort.signal })
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(chunk as Buffer)
      return { text: Buffer.concat(chunks).toString(), headers }
    } catch (error) {
      if (error instanceof EngineError || request.signal.aborted) throw error
      throw this.#explain(abort.signal.aborted ? LATE : error, request.endpoint)
    } finally {
      clearTimeout(timer)
    }
  }

  #explain(error: unknown, endpoint: Endpoint): Error {
    if (error instanceof Failure) return error
    const { statusCode, code, message } = error as {
      statusCode?: number
      code?: string
      message?: string
    }
    // No engine says that: it is a proxy in front of one, and its words may be a page of HTML.
    if (statusCode === FORBIDDEN) {
      const refusal = `the engine's socket ${this.#socket} refuses it: let the proxy there allow GET ${endpoint}`
      return new EngineError(FORBIDDEN, refusal)
    }
    if (statusCode) return new EngineError(statusCode, message ?? "")
    const why = REASONS[code ?? ""] ?? message ?? "it does not answer"
    return new Failure("runtime_unavailable", `the engine at ${this.#socket}: ${why}`, {
      retryAfter: 5,
      cause: error,
    })
  }
}

function toResponse(body: IncomingMessage): EngineResponse {
  return { body, headers: body.headers }
}

const LATE = new Error(`no answer within ${DEADLINE_MS / 1000} s: it hangs, or is no engine`)

const MISSING = "there is no such socket: start the engine, or say where its socket is"

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: MISSING,
  FailedToOpenSocket: MISSING,
  EACCES: "permission denied: run as a user of the socket's group",
  ECONNREFUSED: "nobody listens there: start the engine, or say where its socket is",
  ENOTSOCK: "it is not a socket: say where the engine's socket is",
  HPE_INVALID_CONSTANT: "it does not speak HTTP: say where the engine's socket is",
  ECONNRESET: "the connection broke",
}
