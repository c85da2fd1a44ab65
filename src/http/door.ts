/** What every request must be, on every listener, before the app sees it. */
import { Failure } from "../errors.ts"

export type Handle = (request: Request) => Promise<Response>

/** Where people put keys that do not belong into an address. */
const KEY_NAMES: ReadonlySet<string> = new Set([
  "access_token",
  "api_key",
  "apikey",
  "key",
  "token",
])

/** The app behind its door. Throws a Failure for what may not pass. */
export function createDoor(inside: Handle): Handle {
  return (request) => {
    refuseKeyInAddress(request)
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new Failure("method_not_allowed", "use GET: nothing can be changed here")
    }
    refuseBody(request)
    return inside(request)
  }
}

/** Addresses end up in histories, proxies' logs and Referer headers: a key there is a leaked key. */
export function refuseKeyInAddress(request: Request): void {
  for (const name of new URL(request.url).searchParams.keys()) {
    const parameter = name.toLowerCase()
    if (!KEY_NAMES.has(parameter)) continue
    const advice = "send the key in the header Authorization: Bearer <key>, and replace this one"
    throw new Failure("invalid_parameter", `a key is never taken from the address: ${advice}`, {
      parameter,
    })
  }
}

function refuseBody({ headers }: Request): void {
  const length = headers.get("Content-Length") ?? "0"
  if (length === "0" && !headers.has("Transfer-Encoding") && !headers.has("Content-Encoding"))
    return
  throw new Failure("invalid_request", "send no request body: everything is said in the address")
}
