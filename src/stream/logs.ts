/** The log service: what the HTTP face is handed. */
import type { ChannelOptions } from "./channel.ts"
import { Channels } from "./channels.ts"
import { countLines } from "./counted.ts"
import type { LogService } from "./service.ts"
import { Session } from "./session.ts"
import { takeSnapshot } from "./snapshot.ts"

export interface LogServiceOptions extends Omit<ChannelOptions, "app"> {
  /** Aborted when the service stops. */
  readonly shutdown: AbortSignal
}

export function createLogService(options: LogServiceOptions): LogService {
  const { observe, shutdown } = options
  const runtime = countLines(options.runtime, observe)
  const channels = new Channels({ ...options, runtime })
  return {
    snapshot: (app, query, signal) => takeSnapshot(runtime, app, query, signal),
    stream({ id }, query, form, signal) {
      const lease = channels.open(id, query)
      const { channel } = lease
      // However the client leaves, and whether or not anything was asked for.
      if (signal.aborted) lease[Symbol.dispose]()
      else signal.addEventListener("abort", () => lease[Symbol.dispose](), { once: true })
      return new Session({ runtime, observe, channel, query, form, signal, shutdown })
    },
  }
}
