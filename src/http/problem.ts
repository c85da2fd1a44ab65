/**
 * Failure → RFC 9457 problem. What a client sent is never repeated in one: nothing in it can be made
 * to run, and nothing secret can end up in somebody's screenshot.
 */
import type { Code, Failure } from "../errors.ts"
import { reply } from "./reply.ts"
import type { Problem } from "./schemas.ts"

export const PROBLEM_TYPE = "application/problem+json"

/** For clients that were given no better advice, in seconds. */
const RETRY_AFTER: Partial<Record<Code, number>> = {
  runtime_unavailable: 5,
  log_unreadable: 5,
  too_many_streams: 10,
  too_many_snapshots: 1,
}

const CHALLENGES: Partial<Record<Code, string>> = {
  unauthenticated: 'Bearer realm="applogs"',
  invalid_token:
    'Bearer realm="applogs", error="invalid_token", error_description="The API key is not valid"',
  insufficient_scope: 'Bearer realm="applogs", error="insufficient_scope"',
}

export function toProblem(failure: Failure, requestId: string): Problem {
  const { parameter, allowed } = failure.details
  const detail =
    failure.code === "internal_error"
      ? "This is a fault in applogs. Its own log has the cause, under this requestId."
      : failure.message
  return {
    type: `urn:applogs:problem:${failure.code}`,
    title: failure.title,
    status: failure.status,
    detail,
    instance: `urn:uuid:${requestId}`,
    code: failure.code,
    requestId,
    ...(parameter !== undefined && { errors: [{ parameter, detail }] }),
    ...(allowed !== undefined && { allowed: [...allowed] }),
  }
}

/** The answer to a request that failed before its first byte. */
export function replyProblem(failure: Failure, requestId: string = crypto.randomUUID()): Response {
  const { code, details, status } = failure
  const headers: Record<string, string> = {}
  const challenge = CHALLENGES[code]
  if (challenge !== undefined) headers["WWW-Authenticate"] = challenge
  const retryAfter = details.retryAfter ?? RETRY_AFTER[code]
  if (retryAfter !== undefined) headers["Retry-After"] = String(Math.ceil(retryAfter))
  if (code === "method_not_allowed") headers["Allow"] = "GET, HEAD"
  // Where there is no room, a connection that waits for more takes the room of another.
  if (code === "too_many_streams") headers["Connection"] = "close"
  return reply(JSON.stringify(toProblem(failure, requestId)), PROBLEM_TYPE, headers, status)
}
