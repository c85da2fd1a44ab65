/**
 * Deny by default, around the router: a request to the API listener gets past here with a key, or to
 * one of two addresses, and a route that somebody adds later is behind the gate without knowing of it.
 */
import { bearer as readBearer } from "@elysiajs/bearer"
import { Elysia } from "elysia"
import { Failure } from "../errors.ts"
import type { Observe } from "../observe.ts"
import { type Handle, refuseKeyInAddress } from "./door.ts"
import { answerFailure } from "./failure.ts"
import { type KeySet, noteKey } from "./keys.ts"
import { ROUTER } from "./router.ts"

/** RFC 6750, with the scheme in any case (RFC 9110). Doubled headers arrive as one, with a comma. */
const CREDENTIALS = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i

export function createGate(keys: KeySet, inside: Handle, observe: Observe): Handle {
  const pass = ({ request }: { request: Request }) => inside(request)
  const gate = new Elysia({ ...ROUTER, name: "gate" })
    .onError(({ error }) => answerFailure(error, observe))
    .derive(({ headers }) => {
      // The plugin takes `BearerX`, knows one spelling of the scheme, and without a header looks into
      // the address: so it is always handed a header, well-formed, and with an empty key for want of one.
      const key = CREDENTIALS.exec(headers["authorization"] ?? "")?.[1] ?? ""
      headers["authorization"] = `Bearer ${key}`
    })
    .use(readBearer())
    .all("/healthz", pass, { parse: "none" })
    .all("/readyz", pass, { parse: "none" })
    // Else the router answers HEAD by measuring an answer that has been emptied already.
    .head("/healthz", pass)
    .head("/readyz", pass)
    .all(
      "/*",
      ({ request, bearer }) => {
        authenticate(keys, request, bearer ?? "")
        return inside(request)
      },
      { parse: "none" },
    )
  return (request) => gate.handle(request)
}

/** Throws a Failure unless the request carries a key that is valid. */
function authenticate(keys: KeySet, request: Request, key: string): void {
  if (keys.size === 0) {
    throw new Failure(
      "api_key_not_configured",
      "give this server a key (--api-key-file) and start it again; the local socket needs none",
    )
  }
  refuseKeyInAddress(request)
  const found = keys.find(key)
  if (found !== undefined) return noteKey(request, found)
  const scheme = request.headers.get("Authorization")?.trim().split(" ", 2) ?? []
  if (scheme[0]?.toLowerCase() !== "bearer" || scheme[1] === undefined) {
    throw new Failure("unauthenticated", "send the header Authorization: Bearer <key>")
  }
  throw new Failure("invalid_token", "the key in the Authorization header is not a valid one")
}
