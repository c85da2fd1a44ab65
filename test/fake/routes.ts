/** The six things that may be asked of the fake engine, and what it answers. */
import { engineVersion, inspectBody, listEntry, versionBody } from "./bodies.ts"
import type { FakeContainer } from "./container.ts"
import { type EventHub, eventJson } from "./events.ts"
import type { Faults } from "./faults.ts"
import type { Reply, Request } from "./http.ts"
import { logBody, parseLogQuery } from "./logs.ts"
import { assertKnown, isTrue, NotModelled, parseEventQuery, parseFilters } from "./parameters.ts"

/** What the routes need of the engine. */
export interface RouteContext {
  /** The newest API version, `1.<apiMinor>`, and the oldest. */
  readonly apiMinor: number
  readonly minApiMinor: number
  readonly faults: Faults
  readonly events: EventHub
  containers(): readonly FakeContainer[]
  onError(container: FakeContainer, strike: (text: string, ends: boolean) => void): () => void
}

const ROUTE =
  /^(?:\/v1\.(\d{1,3}))?\/(_ping|version|events|containers\/json|containers\/([0-9a-f]{64})\/(json|logs))(?:\?(.*))?$/

/** Throws `NotModelled` for whatever a reader of logs has no business with. */
export function route(request: Request, context: RouteContext, signal: AbortSignal): Reply {
  const match = request.method === "GET" ? ROUTE.exec(request.target) : undefined
  if (!match) throw new NotModelled("not on the list")
  const [, version, path, id, aspect, query = ""] = match
  const headers = commonHeaders(context.apiMinor)
  const minor = version === undefined ? context.apiMinor : Number(version)
  const range = rangeError(minor, context)
  if (range !== undefined) {
    const { "Docker-Experimental": _, ...early } = headers
    return failure(early, 400, range)
  }
  const search = new URLSearchParams(query)
  if (path === "_ping") return ping(headers)
  if (path === "version") return json(headers, versionBody(context.apiMinor, context.minApiMinor))
  if (path === "events") return events(headers, search, context, minor, signal)
  if (path === "containers/json") return list(headers, search, context)
  const container = context.containers().find((candidate) => candidate.id === id)
  if (aspect === "logs") return logs(headers, search, container ?? id, context, minor, signal)
  return container ? json(headers, inspectBody(container)) : noSuchContainer(headers, id)
}

function rangeError(minor: number, context: RouteContext): string | undefined {
  const { apiMinor, minApiMinor } = context
  if (minor > apiMinor) {
    return `client version 1.${minor} is too new. Maximum supported API version is 1.${apiMinor}`
  }
  if (minor >= minApiMinor) return undefined
  return `client version 1.${minor} is too old. Minimum supported API version is 1.${minApiMinor}, please upgrade your client to a newer version`
}

/** An error as the engine writes it. */
export function failure(headers: Reply["headers"], status: number, message: string): Reply {
  return json(headers, { message }, status)
}

function json(headers: Reply["headers"], body: unknown, status = 200): Reply {
  const type = { "Content-Type": "application/json" }
  return { status, headers: { ...headers, ...type }, body: `${JSON.stringify(body)}\n` }
}

export function commonHeaders(apiMinor: number): Reply["headers"] {
  return {
    "Api-Version": `1.${apiMinor}`,
    "Docker-Experimental": "false",
    Ostype: "linux",
    Server: `Docker/${engineVersion(apiMinor)} (linux)`,
  }
}

function ping(headers: Reply["headers"]): Reply {
  const cache = { "Cache-Control": "no-cache, no-store, must-revalidate", Pragma: "no-cache" }
  const type = { "Content-Type": "text/plain; charset=utf-8" }
  return { status: 200, headers: { ...headers, ...cache, ...type }, body: "OK" }
}

function events(
  headers: Reply["headers"],
  search: URLSearchParams,
  context: RouteContext,
  minor: number,
  signal: AbortSignal,
): Reply {
  const query = parseEventQuery(search)
  const source = context.events.follow(query, signal)
  async function* batches(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const some of source) {
      yield some.map((event) => Buffer.from(`${eventJson(event, minor)}\n`))
    }
  }
  return {
    status: 200,
    headers: { ...headers, "Content-Type": "application/json" },
    body: { batches: batches(), headersWithFirstByte: false, chunking: "frame" },
  }
}

function list(headers: Reply["headers"], search: URLSearchParams, context: RouteContext): Reply {
  assertKnown(search, ["all", "filters"])
  const { id, ...others } = parseFilters(search.get("filters"))
  if (Object.keys(others).length > 0) throw new NotModelled("filters of a list")
  const all = isTrue(search.get("all")) || id !== undefined
  const chosen = context
    .containers()
    .filter((container) => all || container.run !== undefined)
    .filter((container) => id === undefined || id.includes(container.id))
  return json(headers, chosen.toReversed().map(listEntry))
}

function noSuchContainer(headers: Reply["headers"], id = ""): Reply {
  return failure(headers, 404, `No such container: ${id}`)
}

function logs(
  headers: Reply["headers"],
  search: URLSearchParams,
  /** Or the id of one that there is not. */
  container: FakeContainer | string | undefined,
  context: RouteContext,
  minor: number,
  signal: AbortSignal,
): Reply {
  const { faults, apiMinor } = context
  if (!isTrue(search.get("stdout")) && !isTrue(search.get("stderr"))) {
    return failure(headers, 400, "Bad parameters: you must choose at least one stream")
  }
  if (typeof container !== "object") return noSuchContainer(headers, container)
  if (container.state === "dead") {
    const message = "can not get logs from container which is dead or marked for removal"
    return failure(headers, 409, message)
  }
  if (container.driver !== "json-file" && container.driver !== "local") {
    return failure(headers, 501, "configured logging driver does not support reading")
  }
  let query: ReturnType<typeof parseLogQuery>
  try {
    query = parseLogQuery(search)
  } catch (error) {
    if (error instanceof NotModelled) throw error
    return failure(headers, apiMinor >= 54 ? 400 : 500, (error as Error).message)
  }
  const format = container.tty ? "raw-stream" : "multiplexed-stream"
  const type = minor >= 42 ? { "Content-Type": `application/vnd.docker.${format}` } : {}
  const { chunking, chunkingUpTo } = faults
  const batches = logBody(
    container,
    query,
    {
      stickySince: apiMinor >= 43,
      chunking,
      error: faults.takeError(),
      missedAtEnd: () => faults.missedAtEnd,
      onError: (strike) => context.onError(container, strike),
    },
    signal,
  )
  // 20.10 sends them at once, later versions forgot to, and 27.0 (API 1.46) does again.
  const headersWithFirstByte = faults.delayHeaders ?? (apiMinor >= 42 && apiMinor < 46)
  const body = {
    batches,
    headersWithFirstByte,
    chunking,
    chunkingUpTo,
    mishap: faults.takeMishap(),
  }
  return { status: 200, headers: { ...headers, ...type }, body }
}
