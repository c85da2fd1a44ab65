/** A question to the service, and what is said where it has no answer. */
import type { LinkedAbort } from "../abort.ts"
import { firstLine } from "../usage.ts"
import { ClientFailure, type Exit } from "./ending.ts"
import type { Where } from "./where.ts"

export interface Question {
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
  /** Called off with it, the body too. */
  readonly connection: LinkedAbort
  /** The answer must have begun by then. */
  readonly withinMs?: number
}

/** The service says something every 15 seconds: three times that is no pause any more. */
export const SILENCE_MS = 45_000

/** A quiet stream is no dead one. Bun's types leave it out. */
const NEVER_IDLE: object = { timeout: false }

/** The answer, which is a 200 of the type asked for. Throws a ClientFailure. */
export async function ask(where: Where, question: Question): Promise<Response> {
  const url = new URL(question.path, where.base)
  for (const [name, value] of Object.entries(question.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  const { connection, withinMs = SILENCE_MS } = question
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    connection.abort()
  }, withinMs)
  try {
    return await answer(where, url, question)
  } catch (error) {
    if (!isLate) throw error
    const words = `${url.origin} does not answer within ${withinMs / 1_000} s`
    throw new ClientFailure(5, words, { passes: true })
  } finally {
    clearTimeout(timer)
  }
}

async function answer(where: Where, url: URL, question: Question): Promise<Response> {
  const response = await connect(where, url, {
    headers: {
      ...where.headers,
      Accept: question.type,
      // What gathers bytes to compress them gathers lines.
      "Accept-Encoding": "identity",
      ...question.headers,
    },
    signal: question.connection.signal,
    // A key is for the one that was named.
    redirect: "manual",
    ...NEVER_IDLE,
  })
  if (response.status !== 200) throw await refusal(response, url)
  if (!isOfType(response, question.type)) throw stranger(response, url)
  return response
}

async function connect(where: Where, url: URL, init: RequestInit): Promise<Response> {
  if (where.sockets.length === 0) return fetchFrom(url, init)
  const failures: ClientFailure[] = []
  for (const unix of where.sockets) {
    try {
      return await fetchFrom(url, { ...init, unix }, unix)
    } catch (error) {
      if (!(error instanceof ClientFailure)) throw error
      failures.push(error)
    }
  }
  const told = failures.find(({ exit }) => exit === 4)
  if (told) throw told
  const wanted = "start applogs serve, or say where it is: --local-socket, --url"
  throw new ClientFailure(5, `nobody answers at ${where.sockets.join(" or ")}: ${wanted}`, {
    passes: true,
  })
}

async function fetchFrom(
  url: URL,
  init: BunFetchRequestInit,
  name = url.origin,
): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code === "EACCES") {
      throw new ClientFailure(4, `you may not use ${name}: its group may (ls -l ${name})`)
    }
    const reason = code === "ECONNREFUSED" ? "nothing listens there" : firstLine(error)
    throw new ClientFailure(5, `nobody answers at ${name}: ${reason}`, { passes: true })
  }
}

/** A problem's words, with what would have been right. */
async function refusal(response: Response, url: URL): Promise<ClientFailure> {
  const { status } = response
  if (!isOfType(response, "application/problem+json")) return stranger(response, url)
  const problem = (await response.json().catch(() => ({}))) as Problem
  const retryMs = 1_000 * (Number(response.headers.get("Retry-After")) || 0)
  const passes = status === 404 || status === 429 || status >= 500
  const { code = "" } = problem
  return new ClientFailure(exitOf(status), wordsOf(problem), { passes, retryMs, code })
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  readonly errors?: readonly { readonly parameter: string }[]
  readonly allowed?: readonly string[]
}

function wordsOf({ code = "", detail = "no reason is given", errors, allowed }: Problem): string {
  const parameter = errors?.[0]?.parameter
  const isAbout = parameter !== undefined && detail.startsWith(`${parameter} `)
  const words = HINTS[code] ?? (isAbout ? `--${detail}` : detail)
  const right = allowed?.join(", ") ?? ""
  return right === "" || words.includes(right) ? words : `${words}: ${right}`
}

/** What the service says to programs is said in this one's own terms. */
const HINTS: Readonly<Record<string, string>> = {
  app_not_found: "there is no such app: see applogs apps",
  service_not_found: "--service: the app has no such service; it has",
  unauthenticated: "an API key is wanted: --api-key-file, or APPLOGS_API_KEY",
  invalid_token: "the API key is not a valid one: see --api-key-file, APPLOGS_API_KEY",
}

function exitOf(status: number): Exit {
  if (status === 401 || status === 403) return 4
  if (status === 404) return 3
  return status < 500 && status !== 429 ? 2 : 1
}

function stranger({ status, headers }: Response, url: URL): ClientFailure {
  const type = headers.get("Content-Type") ?? "nothing"
  const words = `${url.origin} does not answer as applogs does: ${status}, ${type}`
  return new ClientFailure(1, words, { passes: status >= 500 })
}

function isOfType({ headers }: Response, type: string): boolean {
  return headers.get("Content-Type")?.split(";", 1)[0]?.trim() === type
}
