/** The listeners on real sockets, with the fakes behind them, and a client that writes bytes. */
import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeySet } from "../../src/http/keys.ts"
import { listen, type Listening, type ListenOptions } from "../../src/http/listen.ts"
import { observeNothing } from "../../src/observe.ts"
import { createFake, entryOf, type Fake } from "./fakes.ts"

export const KEY = "0123456789abcdef"
export const AUTHORIZED = { Authorization: `Bearer ${KEY}` }

export interface TestServer extends AsyncDisposable {
  readonly fake: Fake
  readonly listening: Listening
  readonly socket: string
  readonly folder: string
  /** Options for another listener beside it. */
  readonly options: ListenOptions
}

export async function startServer(
  more: Partial<ListenOptions> = {},
  fake: Fake = createFake(),
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "http-"))
  const options: ListenOptions = {
    app: fake.app,
    keys: new KeySet([entryOf(KEY)]),
    observe: observeNothing,
    headerSeconds: 10,
    api: { hostname: "127.0.0.1", port: 0 },
    loopback: { hostname: "127.0.0.1", port: 0 },
    socket: join(folder, "made", "for", "it.sock"),
    ...more,
  }
  const listening = await listen(options)
  return {
    fake,
    listening,
    socket: listening.socket as string,
    folder,
    options,
    async [Symbol.asyncDispose]() {
      fake.shutdown.abort()
      await listening.stop(1_000)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface RawClient {
  readonly socket: Socket
  /** What has come so far. */
  readonly received: () => string
  readonly closed: () => boolean
}

/** Writes exactly these bytes. */
export function write(url: URL | undefined, text: string): RawClient {
  let received = ""
  let closed = false
  const socket = connect(Number(url?.port), url?.hostname)
  socket.on("data", (bytes) => (received += bytes.toString("latin1")))
  socket.on("close", () => (closed = true))
  socket.on("error", () => {})
  socket.write(text)
  return { socket, received: () => received, closed: () => closed }
}
