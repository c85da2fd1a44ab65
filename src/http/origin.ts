/**
 * The guard of the loopback port. It asks for no key, so it must tell a program on this host from a
 * web page in a browser on this host, which can reach it as well (DNS rebinding, cross-site requests).
 */
import { Failure } from "../errors.ts"

/** Nothing else resolves to this host and only to it. */
const NAMES = ["localhost", "127.0.0.1", "[::1]"]

/** Throws a Failure for a request that a web page could have made. `port` is the port it came in by. */
export function refuseWebPages({ headers }: Request, port: number): void {
  const host = headers.get("Host")?.toLowerCase() ?? ""
  const served = NAMES.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
  if (!served.includes(host)) {
    throw new Failure("misdirected_request", "call this listener by a loopback name and its port", {
      allowed: served,
    })
  }
  if (headers.has("Origin")) {
    throw new Failure("forbidden_origin", "requests of web pages (with an Origin) are refused here")
  }
  const site = headers.get("Sec-Fetch-Site") ?? "none"
  if (site !== "none" && site !== "same-origin") {
    throw new Failure("forbidden_origin", "requests of other sites are refused here")
  }
}
