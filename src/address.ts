/** Addresses to listen on: `0.0.0.0:6020`, `[::1]:6020`, `localhost:6020`. */
import { isIPv4, isIPv6 } from "node:net"

export interface Address {
  /** An IP address, without brackets, or a host name. */
  readonly hostname: string
  /** 0 is any free one. */
  readonly port: number
}

/** `undefined` for anything else. A missing host (`:6020`) is every IPv4 address of the machine. */
export function parseAddress(text: string): Address | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]*)):(\d{1,5})$/.exec(text)
  if (!match) return undefined
  const [, ipv6, name = "", digits] = match
  const port = Number(digits)
  if (port > 65_535) return undefined
  if (ipv6 !== undefined) return isIPv6(ipv6) ? { hostname: ipv6, port } : undefined
  if (name === "") return { hostname: "0.0.0.0", port }
  // What looks like an IPv4 address must be one: resolvers read `127.1` in ways of their own.
  if (/^[\d.]+$/.test(name) && !isIPv4(name)) return undefined
  return { hostname: name, port }
}

/** The names of this host that requests may call it by; the rest of 127.0.0.0/8 is not among them. */
export function isLoopback({ hostname }: Address): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname === "127.0.0.1"
}
