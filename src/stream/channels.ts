/** The channels of the apps that have clients now. */
import { Channel, type ChannelOptions } from "./channel.ts"
import type { LogQuery } from "./query.ts"

export class Channels {
  readonly #options: Omit<ChannelOptions, "app">
  readonly #open = new Map<string, { readonly channel: Channel; clients: number }>()

  /** All clients look up when `shutdown` is aborted. */
  constructor(options: Omit<ChannelOptions, "app">, shutdown: AbortSignal) {
    this.#options = options
    shutdown.addEventListener("abort", () => {
      for (const { channel } of this.#open.values()) channel.bell.ring()
    })
  }

  /** A client's share in a channel. The last one to leave closes it. */
  join(app: string, query: LogQuery): { readonly channel: Channel; readonly leave: () => void } {
    const shared = this.#open.get(app) ?? {
      channel: new Channel({ ...this.#options, app }),
      clients: 0,
    }
    const { channel } = shared
    shared.clients++
    this.#open.set(app, shared)
    channel.join(query)
    let isHere = true
    const leave = () => {
      if (!isHere) return
      isHere = false
      channel.leave(query)
      if (--shared.clients > 0) return
      this.#open.delete(app)
      channel[Symbol.dispose]()
    }
    return { channel, leave }
  }
}
