/** Datagrams to a Unix socket, for which Bun 1.4 has nothing of its own: libc's socket, sendto and close. */
import { dlopen, ptr } from "bun:ffi"

// As Linux has them on x64 and arm64.
const AF_UNIX = 1
const SOCK_DGRAM_CLOEXEC = 0o2000002
const MSG_DONTWAIT_NOSIGNAL = 0x4040

/** Of `sockaddr_un`: two bytes for the family, and the path. */
const PATH_OFFSET = 2
const PATH_BYTES = 108

/**
 * Sends a text as one datagram, now or never: it does not wait for the receiver. `address` is a path, or an abstract
 * name behind an `@`. Throws an Error where that cannot be: no glibc, nobody there, no room.
 */
export function sendDatagram(address: string, text: string): void {
  const to = toSocketAddress(address)
  const bytes = Buffer.from(text)
  const { socket, sendto, close } = libc()
  const descriptor = socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0)
  if (descriptor < 0) throw new Error("no socket can be opened")
  try {
    const sent = sendto(
      descriptor,
      ptr(bytes),
      bytes.length,
      MSG_DONTWAIT_NOSIGNAL,
      ptr(to),
      to.length,
    )
    if (Number(sent) !== bytes.length) throw new Error(`nobody takes it at ${address}`)
  } finally {
    close(descriptor)
  }
}

/** The abstract name begins with a NUL and ends where the address does; a path ends with one. */
function toSocketAddress(address: string): Buffer {
  const path = Buffer.from(address.startsWith("@") ? `\0${address.slice(1)}` : `${address}\0`)
  if (!/^[@/]./.test(address) || path.length > PATH_BYTES) {
    throw new Error(`${address} is no address of a Unix socket`)
  }
  const whole = Buffer.concat([Buffer.alloc(PATH_OFFSET), path])
  whole.writeUInt16LE(AF_UNIX, 0)
  return whole
}

/** Loaded when it is first needed. */
let loaded: ReturnType<typeof load> | undefined
const libc = () => (loaded ??= load()).symbols

function load() {
  return dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  })
}
