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
  const channels = new Channels({ ...options, runtime }, shutdown)
  return {
    snapshot: (app, query, signal) => takeSnapshot(runtime, app, query, signal),
    stream({ id }, query, form) {
      const { channel, leave } = channels.join(id, query)
      const view = channel.view(query, form)
      return new Session({ runtime, observe, channel, query, view, shutdown, leave })
    },
  }
}
