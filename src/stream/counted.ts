/** Reads of logs, counted by where the lines come from: an operator sees whether files are read, or an API. */
import type { Observe } from "../observe.ts"
import type { Runtime } from "../runtime.ts"
import { secondsSince } from "../time.ts"

/** All of a runtime that logs are served from. */
export type LogReader = Pick<Runtime, "read">

export function countLines(runtime: LogReader, observe: Observe): LogReader {
  return {
    async *read(container, start, options) {
      for await (const batch of runtime.read(container, start, options)) {
        observe.read(container.guarantee.source, (batch.block ?? batch.lines).length)
        if (batch.gap) observe.gap(batch.gap.reason)
        const newest = options.follow ? batch.lines.at(-1) : undefined
        if (newest) observe.lag(secondsSince(newest.timestamp))
        yield batch
      }
    },
  }
}
