/** What handlers and routers throw, as a Failure; and a Failure as the answer to its request. */
import { NotFoundError, ValidationError } from "elysia"
import { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import type { Handle } from "./door.ts"
import { replyProblem } from "./problem.ts"

/** The answer to a request that failed; `route` is the pattern it matched, if it did, and `seconds` how long ago: for the metrics. */
export function answerFailure(
  error: unknown,
  observe: Observe,
  route = "none",
  seconds?: number,
): Response {
  const requestId = crypto.randomUUID()
  const failure = reportFailure(error, requestId, observe)
  observe.request(route, failure.status, seconds)
  return replyProblem(failure, requestId)
}

/** Any thrown value as a Failure. A fault of our own, or of a plugin, is logged with the id that the client is told. */
export function reportFailure(error: unknown, requestId: string, observe: Observe): Failure {
  const failure = toFailure(error)
  if (failure.code === "internal_error" || failure.code === "runtime_invalid") {
    observe.log("error", "request failed", { requestId, error: failure })
  }
  return failure
}

/** Around a listener's outermost handle: whatever is thrown in it becomes an answer. */
export function answerFailures(handle: Handle, observe: Observe): Handle {
  return async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      return answerFailure(error, observe)
    }
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof NotFoundError) {
    return new Failure("not_found", "the addresses that there are: /openapi.json, or /docs to read")
  }
  if (error instanceof ValidationError) {
    return new Failure(
      "invalid_parameter",
      "the name in the address is not valid percent-encoding",
      {
        parameter: "app",
      },
    )
  }
  return Failure.from(error)
}
