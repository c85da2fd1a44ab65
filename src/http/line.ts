/** A line and an event in JSON: what SSE and NDJSON have in common. */
import type { StreamEvent } from "../stream/events.ts"
import type { MemberLine } from "../stream/service.ts"
import { toProblem } from "./problem.ts"
import type { LogLine } from "./schemas.ts"

/** The fields in the order that is promised. */
export function toLogLine({ member, line }: MemberLine, verbose: boolean): LogLine {
  const told: LogLine = {
    service: member.service,
    stream: line.stream,
    timestamp: line.timestamp,
    message: line.message,
    isNeeds: member.needs !== undefined,
  }
  if (line.partial) told.partial = true
  if (verbose) told.container = member.container.name
  return told
}

/** An event's data. What a field cannot say in an event is null, so that its shape stays the same. `verbose`: lines name their container. */
export function toData(event: StreamEvent, verbose: boolean): object {
  switch (event.type) {
    case "log":
      return toLogLine(event, verbose)
    case "status":
      return {
        service: event.member?.service ?? null,
        container: event.member?.container.name ?? null,
        state: event.state,
        ...(event.exitCode !== undefined && { exitCode: event.exitCode }),
        at: event.at,
      }
    case "gap":
      return {
        service: event.member?.service ?? null,
        reason: event.reason,
        from: event.from ?? null,
        to: event.to ?? null,
      }
    case "ping":
      return { at: event.at, lagMs: event.lagMs }
    case "problem":
      return toProblem(event.failure, event.requestId)
    case "end":
      return { reason: event.reason, retryable: event.retryable }
  }
}
