/** The channels of the apps that have clients now. */
import { Channel, type ChannelOptions } from "./channel.ts"
import type { LogQuery } from "./query.ts"

/** A client's share in a channel: the last one to be disposed of closes it. */
export interface Lease extends Disposable {
  readonly channel: Channel
}

export class Channels {
  readonly #options: Omit<ChannelOptions, "app">
  readonly #open = new Map<string, { readonly channel: Channel; clients: number }>()

  constructor(options: Omit<ChannelOptions, "app">) {
    this.#options = options
  }

  open(app: string, query: LogQuery): Lease {
    const shared = this.#open.get(app) ?? {
      channel: new Channel({ ...this.#options, app }),
      clients: 0,
    }
    const { channel } = shared
    shared.clients++
    this.#open.set(app, shared)
    const leave = channel.join(query)
    return {
      channel,
      [Symbol.dispose]: () => {
        leave()
        if (--shared.clients > 0) return
        this.#open.delete(app)
        channel[Symbol.dispose]()
      },
    }
  }
}
