/** A socket before a daemon's socket, which can be taken away while the daemon lives on. */
import { connect, createServer, type Server, type Socket } from "node:net"
import { pipeline } from "node:stream"

export class Relay {
  readonly #from: string
  readonly #to: string
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined

  constructor(from: string, to: string) {
    this.#from = from
    this.#to = to
  }

  async open(): Promise<void> {
    const server = createServer((client) => {
      const daemon = connect(this.#to)
      this.#sockets.add(client).add(daemon)
      // Whoever ends first ends the other; how it ended is between these two.
      const ended = () => {
        for (const socket of [client, daemon]) this.#sockets.delete(socket.destroy())
      }
      pipeline(client, daemon, client, ended)
    })
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject).listen(this.#from, resolve)
    })
  }

  /** Breaks every connection; the socket is gone. */
  async close(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of this.#sockets) socket.destroy()
    })
  }
}
